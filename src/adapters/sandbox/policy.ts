import path from 'node:path';
import { homeSecrets } from '../../core/sandbox/homeSecrets.ts';

/** What a command may touch of the disk. All paths are absolute and name one file or folder each, never a pattern. */
export interface DiskPolicy {
  /** Hidden, but for what `readable` and `writable` name below. */
  readonly hidden: readonly string[];
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** Read-only although it lies below something writable. */
  readonly locked: readonly string[];
}

export interface PolicyFacts {
  readonly platform: string;
  readonly home: string;
  /** Folder of all agents' and checks' worktrees. */
  readonly worktreeRoot: string;
  readonly worktree: string;
  /** The command's `$TMPDIR`. */
  readonly scratch: string;
  readonly caches: string;
  /** The checkouts that the person works in. */
  readonly checkouts: readonly string[];
  /** Setup scripts copy and link from the checkout, so they may read it. */
  readonly readsCheckouts: boolean;
  /** Pointers to repositories: the worktree's own, and those of its submodules. */
  readonly pointers: readonly string[];
  /** Files and folders of a checkout that links of the worktree lead to. */
  readonly linked: readonly string[];
  readonly commonDir: string;
  /** Where the extension and its sandbox are installed: its parts start in the sandbox. */
  readonly ownFolders: readonly string[];
  /** Folders of VS Code's in which it keeps what extensions and the person entrusted to it. */
  readonly editorFolders: readonly string[];
  /** The system's folders for what is temporary, and for sockets of the person's session. */
  readonly sharedFolders: readonly string[];
}

/**
 * The worktree, a private folder for what is temporary and caches of tools can be written; of the rest of the machine a
 * command reads what it is built with, and neither secrets, nor the person's checkout, nor other agents' work.
 */
export function diskPolicy(facts: PolicyFacts): DiskPolicy {
  const { home, worktree, worktreeRoot, commonDir } = facts;
  const secrets = homeSecrets(facts.platform).map((place) => path.join(home, place));
  // A checkout that holds the home folder (of dotfiles) holds every tool too: its secrets are hidden one by one.
  const checkouts = facts.readsCheckouts ? [] : facts.checkouts.filter((checkout) => !holds(checkout, home));
  return {
    hidden: unique([
      ...secrets, ...facts.editorFolders, ...checkouts, ...facts.sharedFolders, worktreeRoot,
      // Of all agents: goals, transcripts, what they cost.
      path.join(commonDir, 'worldtree'),
      // The library would have them written by every command.
      ...LIBRARY_WRITES.map((place) => path.join(home, place)),
    ]),
    readable: unique([commonDir, ...facts.ownFolders, ...facts.linked, ...(facts.readsCheckouts ? facts.checkouts : [])]),
    writable: [worktree, facts.scratch, facts.caches],
    // With a repository of its own in the place of one, host git and VS Code would run what it configures (rule 11).
    locked: [...facts.pointers, ...LIBRARY_SHARED],
  };
}

const LIBRARY_WRITES: readonly string[] = ['.npm/_logs', '.claude/debug'];
const LIBRARY_SHARED: readonly string[] = ['/tmp/claude', '/private/tmp/claude'];

function holds(folder: string, inner: string): boolean {
  const relative = path.relative(folder, inner);
  return relative === '' || (!relative.startsWith('..') && !path.isAbsolute(relative));
}

function unique(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)];
}
