import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import ignore, { type Ignore } from 'ignore';

/** The rule that keeps a path out: the ignore file that holds it, relative to the worktree, and its pattern. */
interface IgnoredBy {
  readonly file: string;
  readonly pattern: string;
}

const MAX_BYTES = 1024 * 1024;

/**
 * The `.gitignore` files of one worktree, read when they are needed and kept for one tool call. Paths are matched
 * relative to the worktree, so that a worktree that lies under an ignored folder loses nothing.
 */
export class IgnoreRules {
  private readonly root: string;
  private readonly files = new Map<string, Promise<Ignore | null>>();

  constructor(root: string) {
    this.root = root;
  }

  /** Whether this path, or a folder that holds it, is ignored. Paths are relative to the root, without a trailing slash. */
  async ignoredBy(relative: string, isFolder: boolean): Promise<IgnoredBy | null> {
    const parts = relative.split('/');
    for (let depth = 1; depth <= parts.length; depth++) {
      const found = await this.ownRule(parts.slice(0, depth).join('/'), depth < parts.length || isFolder);
      if (found !== null) return found;
    }
    return null;
  }

  /** The rule for this very path, given that no folder above it is ignored. The deepest ignore file that decides wins. */
  async ownRule(relative: string, isFolder: boolean): Promise<IgnoredBy | null> {
    const parts = relative.split('/');
    for (let depth = parts.length - 1; depth >= 0; depth--) {
      const folder = parts.slice(0, depth).join('/');
      const rules = await this.rulesOf(folder);
      if (rules === null) continue;
      const below = parts.slice(depth).join('/');
      const result = rules.test(isFolder ? `${below}/` : below);
      if (result.unignored) return null;
      // A verdict that only comes down from a folder was overruled for that folder by a deeper file.
      const parent = parts.slice(depth, -1).join('/');
      if (result.ignored && !(parent !== '' && rules.test(`${parent}/`).ignored)) return { file: folder === '' ? '.gitignore' : `${folder}/.gitignore`, pattern: result.rule?.pattern ?? '' };
    }
    return null;
  }

  private rulesOf(folder: string): Promise<Ignore | null> {
    let rules = this.files.get(folder);
    if (rules === undefined) {
      rules = this.read(folder);
      this.files.set(folder, rules);
    }
    return rules;
  }

  private async read(folder: string): Promise<Ignore | null> {
    let file;
    try {
      // Git does not follow a link here either.
      file = await open(path.join(this.root, folder, '.gitignore'), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    } catch {
      return null;
    }
    try {
      const stat = await file.stat();
      if (!stat.isFile() || stat.size > MAX_BYTES) return null;
      const text = (await file.readFile('utf8')).replace(/^\ufeff/, '');
      return ignore({ ignorecase: process.platform === 'win32' || process.platform === 'darwin' }).add(text);
    } finally {
      await file.close();
    }
  }
}
