import type { FilePath } from '../ids.ts';
import type { Conversation } from './conversation.ts';
import type { FileTree } from './fileTree.ts';

/** Reads in one survey, over all of its turns. */
const MOST_READS = 285;
/** Parts in which one file is read at most: each answer is cut at some size. */
const MOST_PARTS = 4;

interface WantedRead {
  readonly path: FilePath;
  readonly from: number;
  /** Null for as many as fit. */
  readonly lines: number | null;
}

/**
 * What files say, as far as they were read. Asking for one that was not read notes it as wanted: a page is drawn again
 * and again, each time with what the last round brought, until a drawing wants nothing more.
 */
export class Reading {
  readonly #conversation: Conversation;
  readonly #tree: FileTree;
  readonly #wanted = new Map<FilePath, WantedRead>();
  readonly #budget: number;
  readonly #memo = new Map<string, unknown>();

  constructor(conversation: Conversation, tree: FileTree) {
    this.#conversation = conversation;
    this.#tree = tree;
    this.#budget = MOST_READS - conversation.reads;
  }

  /** What people call the repository. */
  get repository(): string | null {
    return this.#conversation.repository;
  }

  has(path: FilePath): boolean {
    return this.#tree.has(path);
  }

  /** The whole file where it is of a bearable size, else its beginning; null where it is not there, not readable or not read yet. */
  read(path: FilePath): string | null {
    return this.#text(path, null);
  }

  /** The first lines; more where more were read for another reason. */
  head(path: FilePath, lines: number): string | null {
    return this.#text(path, lines);
  }

  /** What is worked out from the same texts several times over while pages are drawn. */
  memo<T>(key: string, work: () => T): T {
    if (!this.#memo.has(key)) this.#memo.set(key, work());
    return this.#memo.get(key) as T;
  }

  get wanted(): readonly WantedRead[] {
    return [...this.#wanted.values()].slice(0, Math.max(0, this.#budget));
  }

  #text(path: FilePath, lines: number | null): string | null {
    if (!this.#tree.has(path)) return null;
    const read = this.#conversation.files.get(path);
    if (!read) {
      const before = this.#wanted.get(path);
      if (!before || before.lines !== null) this.#wanted.set(path, { path, from: 1, lines: before && lines !== null && before.lines !== null ? Math.max(before.lines, lines) : lines });
      return null;
    }
    if (read.lines === null) return null;
    const enough = lines !== null && read.upTo >= lines;
    if (read.more && !enough && read.parts < MOST_PARTS) this.#wanted.set(path, { path, from: read.upTo + 1, lines: null });
    return read.lines.join('\n');
  }
}
