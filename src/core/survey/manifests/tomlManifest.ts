import { parse } from 'smol-toml';

/** A TOML manifest by its tables; values of another shape than asked for are null. */
export interface TomlManifest {
  text(...path: string[]): string | null;
  texts(...path: string[]): readonly string[];
  /** Keys of a table; null where it is not there. */
  keys(...path: string[]): readonly string[] | null;
  /** Tables of an array of tables. */
  rows(...path: string[]): readonly TomlManifest[];
  flag(...path: string[]): boolean | null;
}

/** Null for what is not TOML. */
export function parseTomlManifest(text: string): TomlManifest | null {
  try {
    return manifestOf(parse(text.replace(/^\ufeff/, '')));
  } catch {
    return null;
  }
}

function manifestOf(root: unknown): TomlManifest {
  const at = (path: readonly string[]): unknown => path.reduce<unknown>((value, key) => (isTable(value) ? value[key] : undefined), root);
  return {
    text: (...path) => {
      const value = at(path);
      return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
    },
    texts: (...path) => {
      const value = at(path);
      return Array.isArray(value) ? value.filter((v): v is string => typeof v === 'string') : [];
    },
    keys: (...path) => {
      const value = at(path);
      return isTable(value) ? Object.keys(value) : null;
    },
    rows: (...path) => {
      const value = at(path);
      return Array.isArray(value) ? value.filter(isTable).map(manifestOf) : [];
    },
    flag: (...path) => {
      const value = at(path);
      return typeof value === 'boolean' ? value : null;
    },
  };
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
