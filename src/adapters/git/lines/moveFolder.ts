import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { AbsolutePath } from '../../../core/ids.ts';
import { isRunning } from '../../isRunning.ts';

/**
 * What a move leaves on disk while it is under way: private indexes, and notes from which a start after a crash sees
 * which lock files and processes were ours. In the common git folder, so that a rename into place is atomic.
 */
export class MoveFolder {
  readonly #folder: string;
  /** What a lock file of this move holds: whoever finds it left behind can tell whose it is. */
  readonly signature: string;

  private constructor(folder: string, signature: string) {
    this.#folder = folder;
    this.signature = signature;
  }

  /** `move`: its id, or what else tells it from all others here after a crash too. */
  static at(commonDir: AbsolutePath, move: string): MoveFolder {
    const name = createHash('sha256').update(move).digest('hex').slice(0, 16);
    return new MoveFolder(path.join(commonDir, 'worldtree', 'moves', name), `locked by worldtree for move ${move}\n`);
  }

  async create(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeFile(this.file('signature'), this.signature);
    // A repair starts processes of its own: the one that was noted before is over.
    await rm(this.file('pid'), { force: true });
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  file(name: string): string {
    return path.join(this.#folder, name);
  }

  /** Before a git process writes files: after a crash it may go on for a while, alone. */
  async noteProcess(pid: number): Promise<void> {
    await writeFile(this.file('pid'), String(pid));
  }

  /** Lock files that hold nothing are known again by their inode. */
  async noteLocks(files: readonly string[]): Promise<void> {
    const known: LockNote[] = [];
    for (const file of files) {
      const inode = await inodeOf(file);
      if (inode !== null) known.push({ file, inode });
    }
    await writeFile(this.file('locks'), JSON.stringify(known));
  }

  async isNotedLock(file: string): Promise<boolean> {
    const inode = await inodeOf(file);
    const text = await readFile(this.file('locks'), 'utf8').catch(() => '[]');
    try {
      return inode !== null && (JSON.parse(text) as LockNote[]).some((note) => note.file === file && note.inode === inode);
    } catch {
      // Torn while it was written: then it proves nothing.
      return false;
    }
  }

  /**
   * Waits until no git process of a move that was cut off writes any more. False where one still does after
   * `patienceMs`. A process shows by the lock beside the private index that it works on.
   */
  async waitForOrphan(patienceMs: number): Promise<boolean> {
    const pid = Number(await readFile(this.file('pid'), 'utf8').catch(() => ''));
    const end = performance.now() + patienceMs;
    // Killed between its start and the note of its pid: give an unknown process a moment, then take the lock for dead.
    const endUnknown = performance.now() + Math.min(patienceMs, 3_000);
    while ((await readdir(this.#folder).catch((): string[] => [])).some((name) => name.endsWith('.lock'))) {
      if (pid > 0 && !isRunning(pid)) return true;
      if (pid > 0 ? performance.now() > end : performance.now() > endUnknown) return pid <= 0;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return true;
  }
}

interface LockNote {
  readonly file: string;
  readonly inode: string;
}

async function inodeOf(file: string): Promise<string | null> {
  try {
    const { dev, ino, birthtimeMs } = await stat(file);
    return `${dev}:${ino}:${birthtimeMs}`;
  } catch {
    return null;
  }
}
