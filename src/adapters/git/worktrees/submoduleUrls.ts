import path from 'node:path';
import type { AbsolutePath, CommitId } from '../../../core/ids.ts';
import type { GitDoor } from '../door/door.ts';
import { fields } from '../door/nulList.ts';

/** What is declared of a submodule: by the commit's `.gitmodules`, and stronger by the person's own config. */
export interface DeclaredSubmodule {
  /** Without a component that would lead out of the folder that git folders of submodules are in. */
  readonly name: string;
  readonly url: string;
  /** False where it is declared that git is not to check it out (`update = none`). */
  readonly wanted: boolean;
}

interface Superproject {
  readonly gitDir: AbsolutePath;
  readonly commit: CommitId;
  /** What URLs that begin with `./` and `../` are relative to. */
  readonly url: string;
}

/** Submodules that a commit declares, by their paths. */
export async function declaredSubmodules(door: GitDoor, { gitDir, commit, url: base }: Superproject): Promise<ReadonlyMap<string, DeclaredSubmodule>> {
  // Exit code 128: there is no such file in the commit.
  const [declared, own] = await Promise.all([
    door.run(['config', '-z', '--blob', `${commit}:.gitmodules`, '--get-regexp', String.raw`^submodule\..*\.(path|url|update)$`], { write: false, gitDir, allowExit: [1, 128] }),
    door.run(['config', '-z', '--get-regexp', String.raw`^submodule\..*\.(url|update)$`], { write: false, gitDir, allowExit: [1] }),
  ]);
  const ofCommit = byName(declared.stdout);
  const ofPerson = byName(own.stdout);
  const found = new Map<string, DeclaredSubmodule>();
  for (const [name, { path: at, url, update }] of ofCommit) {
    const person = ofPerson.get(name);
    if (at === undefined || (url ?? person?.url) === undefined || !staysInside(name)) continue;
    found.set(at, { name, url: person?.url ?? resolveUrl(base, url ?? ''), wanted: (person?.update ?? update) !== 'none' });
  }
  return found;
}

/** Where a repository comes from; null where no remote is set up. */
export async function remoteUrl(door: GitDoor, gitDir: AbsolutePath): Promise<string | null> {
  const answer = await door.run(['config', '--get', 'remote.origin.url'], { write: false, gitDir, allowExit: [1] });
  const url = answer.stdout.toString('utf8').trim();
  return url === '' ? null : url;
}

/** A URL of `.gitmodules` that is relative (`../lib.git`), from the URL of the repository that declares it. */
export function resolveUrl(base: string, url: string): string {
  if (!/^\.\.?\//.test(url)) return url;
  let from = base.replace(/\/+$/, '');
  let rest = url;
  let separator = '/';
  for (let step = /^(\.\.?)\/+/.exec(rest); step !== null; step = /^(\.\.?)\/+/.exec(rest)) {
    rest = rest.slice(step[0].length);
    if (step[1] !== '..') continue;
    const slash = from.lastIndexOf('/');
    // `host:lib.git` has its top behind the colon.
    separator = slash < 0 ? ':' : '/';
    from = from.slice(0, Math.max(slash, slash < 0 ? from.lastIndexOf(':') : 0));
  }
  return `${from}${separator}${rest}`.replace(/\/+$/, '');
}

interface Section {
  readonly path?: string;
  readonly url?: string;
  readonly update?: string;
}

function byName(output: Buffer): Map<string, Section> {
  const found = new Map<string, Section>();
  for (const entry of fields(output)) {
    const [key = '', ...value] = entry.split('\n');
    const [, name = '', field = ''] = /^submodule\.(.+)\.([a-z]+)$/s.exec(key) ?? [];
    found.set(name, { ...found.get(name), [field]: value.join('\n') });
  }
  return found;
}

function staysInside(name: string): boolean {
  return !path.isAbsolute(name) && !name.split(/[/\\]/).includes('..');
}
