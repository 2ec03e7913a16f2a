import { parse } from 'yaml';

interface FrontMatter {
  /** What stands between the two lines of dashes, where it is a table; empty where there is none or it cannot be read. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The text after it. */
  readonly body: string;
  /** Why the front matter could not be read; null where it could, or there is none. */
  readonly problem: string | null;
}

/** Takes YAML front matter off a page. One that cannot be read is taken off all the same, and told. */
export function splitFrontMatter(text: string): FrontMatter {
  const page = text.replace(/^\ufeff/, '');
  const match = /^---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/.exec(page);
  if (!match) return { data: {}, body: page, problem: null };
  const body = page.slice(match[0].length);
  try {
    // A small alias limit: a page of a repository must not be able to blow up in memory.
    const data: unknown = parse(match[1] ?? '', { maxAliasCount: 20 });
    if (data === null || data === undefined) return { data: {}, body, problem: null };
    return typeof data === 'object' && !Array.isArray(data) ? { data: data as Record<string, unknown>, body, problem: null } : { data: {}, body, problem: 'the front matter is no table of keys' };
  } catch (error) {
    return { data: {}, body, problem: error instanceof Error ? (error.message.split('\n')[0] ?? 'not valid YAML') : 'not valid YAML' };
  }
}
