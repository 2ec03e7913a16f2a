import { SECRETS } from '../../core/secretLooks.ts';

/** What must never stand in a tape, or differs from one run to the next. */
export interface Masked {
  /** Each folder as it was named and as the system resolves it, since programs print either. */
  readonly home: readonly string[];
  readonly temporary: readonly string[];
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

  /**
   * @param server address of the model that is asked, whose errors name it.
   * @param model its name, which is a path where a server was started with one.
   */
  constructor({ home, temporary, worktrees, checkouts, keys }: Masked, server: string | null, model: string) {
    const ofPath = /^(?:[\\/~]|[A-Za-z]:[\\/])/.test(model) ? spellings([model]) : [];
    const end = String.raw`(?![\w-])`;
    const separator = String.raw`[\\/]+`;
    // The longest first: a worktree may lie in the home folder, which may lie in the temporary one.
    this.#rules = [
      ...keys.filter((key) => key.length >= 4).map((key) => ['secret', new RegExp(escaped(key), 'g')] as const),
      ['secret', SECRETS],
      ...(server === null ? [] : [['server', new RegExp(escaped(server), 'g')] as const]),
      ...ofPath.map((name) => ['model', new RegExp(`${name}${end}`, 'g')] as const),
      ...spellings(worktrees).map((root) => ['worktree', new RegExp(`${root}(?:${separator}[0-9a-f]{8}(?:${separator}e[1-9]\\d*-[a-z0-9]{4})?)?${end}`, 'g')] as const),
      ...spellings(checkouts).map((folder) => ['checkout', new RegExp(`${folder}${end}`, 'g')] as const),
      ...spellings(temporary).map((folder) => ['temporary', new RegExp(`${folder}(?:${separator}[\\w.-]+)?${end}`, 'g')] as const),
      ...spellings(home).map((folder) => ['home', new RegExp(`${folder}${end}`, 'g')] as const),
      ['episode', /\be[1-9]\d*-[a-z0-9]{4}\b/g],
    ];
    const usual = { home: home[0], temporary: temporary[0], server, model: ofPath.length === 0 ? null : model };
    this.#fallback = new Map(Object.entries(usual).flatMap(([kind, text]) => (text === undefined || text === null ? [] : [[kind, text] as const])));
  }

  mask(text: string): string {
    return this.#rules.reduce((masked, [kind, pattern]) => masked.replace(pattern, (found) => this.#placeholder(kind, found)), text);
  }

  unmask(text: string): string {
    return text.replace(/⟨([a-z]+) \d+⟩/g, (placeholder, kind: string) => this.#originals.get(placeholder) ?? this.#fallback.get(kind) ?? placeholder);
  }

  /** For what is carried out: a tape may be a stranger's, and is not to say where a secret of this run goes. */
  unmaskAllButSecrets(text: string): string {
    return text.split(/(⟨secret \d+⟩)/).map((part, place) => (place % 2 === 1 ? part : this.unmask(part))).join('');
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

/** Paths as they stand in text, in the JSON of a call's arguments, and with the other separator, the longest first: one may lie in another. None of an empty path or a root. */
function spellings(folders: readonly string[]): readonly string[] {
  const plain = folders.map((folder) => folder.replace(/[\\/]+$/, '')).filter((folder) => folder.length >= 2);
  const all = new Set(plain.flatMap((folder) => [folder, folder.replaceAll('\\', '\\\\'), folder.replaceAll('\\', '/')]));
  return [...all].toSorted((a, b) => b.length - a.length).map(escaped);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
