import type { FilePath } from '../ids.ts';
import { baseName } from '../paths.ts';
import { count, megabytes } from '../projections/amounts.ts';
import { looksSecret } from '../tools/secretFiles.ts';

/** A file that the first commit could hold. */
export interface OfferedFile {
  readonly path: FilePath;
  /** On disk; null where it is only staged. */
  readonly bytes: number | null;
  /** The person staged it themselves: what is staged is what would be committed of it. */
  readonly staged: boolean;
}

/** A line of the list to pick from: one file, or of very many those of a folder that stand alike. */
export interface FirstCommitItem {
  readonly label: string;
  /** Why it is not picked, or that it is staged; else empty. */
  readonly description: string;
  readonly picked: boolean;
  readonly files: readonly FilePath[];
}

const LARGE = 10 * 1024 * 1024;
/** A longer list is nothing that a person reads: it is shown by folder. */
const MOST_LINES = 400;

/**
 * Everything is picked but what is hard to take out of a history again. Where the person has staged files, exactly those
 * are: they have said already what belongs to the commit.
 */
export function firstCommitItems(files: readonly OfferedFile[]): FirstCommitItem[] {
  const someStaged = files.some(({ staged }) => staged);
  const items = files.map((file): FirstCommitItem => {
    const doubt = doubtAbout(file);
    return { label: file.path, description: file.staged ? 'staged' : (doubt ?? ''), picked: someStaged ? file.staged : doubt === null, files: [file.path] };
  });
  return items.length <= MOST_LINES ? items : byFolder(items);
}

function doubtAbout({ path, bytes }: OfferedFile): string | null {
  if (/(^|\/)(node_modules|bower_components|\.venv|__pycache__)\//.test(path)) return 'installed or generated: usually ignored';
  if (looksSecret(path) && !isCode(path)) return 'may hold secrets';
  return bytes !== null && bytes > LARGE ? `large: ${megabytes(bytes)}` : null;
}

/** `tokenizer.ts` is code about tokens; `secrets.py` is where people keep them. */
function isCode(path: FilePath): boolean {
  const name = baseName(path);
  return /\.([cm]?[jt]sx?|py|go|rs|java|kt|rb|php|cs|c|h|cc|cpp|swift|css|scss|html|vue|svelte|md|sql)$/i.test(name) && !/^(secrets?|credentials?|passwords?)\./i.test(name);
}

function byFolder(items: readonly FirstCommitItem[]): FirstCommitItem[] {
  const alike = new Map<string, FirstCommitItem[]>();
  for (const item of items) {
    const end = item.label.indexOf('/');
    const key = JSON.stringify([end < 0 ? item.label : item.label.slice(0, end + 1), item.picked, item.description]);
    alike.set(key, [...(alike.get(key) ?? []), item]);
  }
  return [...alike.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined || group.length === 1) return group;
    const description = [count(group.length, 'file'), first.description].filter((part) => part !== '').join(', ');
    return [{ ...first, label: first.label.slice(0, first.label.indexOf('/') + 1), description, files: group.flatMap(({ files }) => files) }];
  });
}
