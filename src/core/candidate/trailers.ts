import { episodeId, folderPath, shortCommit, type CommitId, type EpisodeId, type FolderPath } from '../ids.ts';
import { displayFolder } from '../paths.ts';

/** What a commit of ours says about itself, on the candidate and on the accepted commit alike. */
export interface Trailers {
  readonly episode: EpisodeId;
  readonly world: { readonly path: FolderPath; readonly commit: CommitId };
  readonly model: string;
  /** Empty where no check ran. */
  readonly evidence: readonly TrailerEvidence[];
}

export interface TrailerEvidence {
  readonly name: string;
  /** `pass`, or what came instead: `fail`, `timed out`, `could not run`, `refused`, `flaky`. */
  readonly result: string;
  /** Whole seconds; null where it is under one or not known. */
  readonly seconds: number | null;
}

/** What trailers give back when a commit is read: the commit of the world is shortened, and may be ambiguous by then. */
interface ReadTrailers {
  readonly episode: EpisodeId;
  readonly world: { readonly path: FolderPath; readonly commit: string } | null;
  readonly model: string | null;
  readonly evidence: readonly TrailerEvidence[];
}

/** The trailer block, one line each. */
export function formatTrailers({ episode, world, model, evidence }: Trailers): string {
  return [
    `Worldtree-Episode: ${episode}`,
    `Worldtree-World: ${worldPath(world.path)} at ${shortCommit(world.commit)}`,
    `Worldtree-Model: ${oneLine(model)}`,
    ...(evidence.length === 0 ? [] : [formatEvidence(evidence)]),
  ].join('\n');
}

/** The one line that tells what checks gave. */
export function formatEvidence(evidence: readonly TrailerEvidence[]): string {
  return `Worldtree-Evidence: ${evidence.map(evidenceWords).join('; ')}`;
}

/**
 * Reads the trailers of one commit message, also where a squash or a forge has put text after them. The last episode
 * wins. Null where the message has none.
 */
export function parseTrailers(message: string): ReadTrailers | null {
  const found = new Map<string, string>();
  for (const line of message.split('\n')) {
    const match = /^Worldtree-(Episode|World|Model|Evidence): (.*?)\s*$/.exec(line);
    if (match?.[1] === undefined || match[2] === undefined) continue;
    // A squash of several commits holds several blocks, each led by its episode.
    if (match[1] === 'Episode') found.clear();
    found.set(match[1], match[2]);
  }
  const episode = episodeId.safeParse(found.get('Episode'));
  if (!episode.success) return null;
  return { episode: episode.data, world: parseWorld(found.get('World') ?? ''), model: found.get('Model') ?? null, evidence: parseEvidence(found.get('Evidence') ?? '') };
}

/**
 * Text of an agent that can no longer be taken for a trailer of ours or for a sign-off of a person, wherever a line of
 * it may begin: readers of history trust trailers to be the harness's words (rule 5).
 */
export function withoutTrailers(text: string): string {
  return text
    .replace(/worldtree[-\u2010-\u2015\u2212](?=[a-z][a-z-]*\s*:)/gi, 'Worldtree ')
    .replace(/^([ \t]*)((?:signed-off|co-authored|reviewed|acked|tested|approved|reported|suggested)-by)(?=\s*:)/gim, (_, space: string, name: string) => space + name.replaceAll('-', ' '));
}

function evidenceWords({ name, result, seconds }: TrailerEvidence): string {
  return `${oneLine(name).replaceAll(';', ',')} ${result}${seconds === null ? '' : ` ${seconds}s`}`;
}

const RESULTS = ['pass', 'fail', 'timed out', 'could not run', 'refused', 'flaky'];

function parseEvidence(value: string): TrailerEvidence[] {
  const pattern = new RegExp(`^(.+) (${RESULTS.join('|')})(?: (\\d+)s)?$`);
  return value.split('; ').flatMap((part) => {
    const match = pattern.exec(part);
    return match?.[1] === undefined || match[2] === undefined ? [] : [{ name: match[1], result: match[2], seconds: match[3] === undefined ? null : Number(match[3]) }];
  });
}

/** A folder whose name would not survive on one line is written as a JSON string. */
function worldPath(path: FolderPath): string {
  return /[\u0000-\u001f\u007f"]|^\s|\s$/.test(path) ? JSON.stringify(path) : displayFolder(path);
}

function parseWorld(value: string): ReadTrailers['world'] {
  const match = /^(.*) at ([0-9a-f]{7,64})$/.exec(value);
  if (match?.[1] === undefined || match[2] === undefined) return null;
  const path = folderPath.safeParse(match[1] === '/' ? '' : match[1].startsWith('"') ? unquote(match[1]) : match[1]);
  return path.success ? { path: path.data, commit: match[2] } : null;
}

function unquote(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function oneLine(text: string): string {
  return text.replace(/[\s\u0000-\u001f\u007f\u0085\u2028\u2029]+/g, ' ').trim();
}
