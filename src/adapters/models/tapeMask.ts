import { SECRETS } from '../../core/secretLooks.ts';

/** What must never stand in a tape, or differs from one run to the next. */
export interface Masked {
  readonly home: string;
  readonly temporary: string;
  /** Folders that worktrees lie in. */
  readonly worktrees: readonly string[];
  readonly checkouts: readonly string[];
  /** Keys as they are, whatever form they have. */
  readonly keys: readonly string[];
}

/**
 * Puts a placeholder in the place of each: ⟨home⟩, ⟨worktree 1⟩, ⟨secret 2⟩, counted as they come. One masking goes
 * over a request from its beginning and then over its reply, so that the same conversation has the same placeholders
 * in every run, and each turns back into what it stands for in this one.
 */
export class TapeMasking {
  readonly #rules: readonly (readonly [kind: string, pattern: RegExp])[];
  readonly #fallback: ReadonlyMap<string, string>;
  readonly #placeholders = new Map<string, string>();
  readonly #originals = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  /** @param server address of the model that is asked, whose errors name it. */
  constructor({ home, temporary, worktrees, checkouts, keys }: Masked, server: string | null) {
    const end = String.raw`(?![\w-])`;
    const separator = String.raw`[\\/]+`;
    // The longest first: a worktree may lie in the home folder, which may lie in the temporary one.
    this.#rules = [
      ...keys.filter((key) => key.length >= 4).map((key) => ['secret', new RegExp(escaped(key), 'g')] as const),
      ['secret', SECRETS],
      ...(server === null ? [] : [['server', new RegExp(escaped(server), 'g')] as const]),
      ...worktrees.flatMap(spellings).map((root) => ['worktree', new RegExp(`${root}(?:${separator}[0-9a-f]{8}(?:${separator}e[1-9]\\d*-[a-z0-9]{4})?)?${end}`, 'g')] as const),
      ...checkouts.flatMap(spellings).map((folder) => ['checkout', new RegExp(`${folder}${end}`, 'g')] as const),
      ...spellings(temporary).map((folder) => ['temporary', new RegExp(`${folder}(?:${separator}[\\w.-]+)?${end}`, 'g')] as const),
      ...spellings(home).map((folder) => ['home', new RegExp(`${folder}${end}`, 'g')] as const),
      ['episode', /\be[1-9]\d*-[a-z0-9]{4}\b/g],
    ];
    this.#fallback = new Map([['home', home], ['temporary', temporary], ...(server === null ? [] : [['server', server] as const])]);
  }

  mask(text: string): string {
    return this.#rules.reduce((masked, [kind, pattern]) => masked.replace(pattern, (found) => this.#placeholder(kind, found)), text);
  }

  unmask(text: string): string {
    return text.replace(/⟨([a-z]+) \d+⟩/g, (placeholder, kind: string) => this.#originals.get(placeholder) ?? this.#fallback.get(kind) ?? placeholder);
  }

  #placeholder(kind: string, found: string): string {
    const known = this.#placeholders.get(found);
    if (known !== undefined) return known;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    const placeholder = `⟨${kind} ${count}⟩`;
    this.#placeholders.set(found, placeholder);
    this.#originals.set(placeholder, found);
    return placeholder;
  }
}

/** A path as it stands in text, in the JSON of a call's arguments, and with the other separator; none of an empty path or a root. */
function spellings(folder: string): readonly string[] {
  const plain = folder.replace(/[\\/]+$/, '');
  return plain.length < 2 ? [] : [...new Set([plain, plain.replaceAll('\\', '\\\\'), plain.replaceAll('\\', '/')])].map(escaped);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
