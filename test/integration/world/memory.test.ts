import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { makeTemporaryFolder, removeFolder } from '../../support/temporaryFolder.ts';
import { makeTemporaryRepository } from '../../support/temporaryRepository.ts';

const MB = 1024 ** 2;
const run = promisify(execFile);

/** Bytes of a window's heap in which so many agents took so many turns, each with an answer of 16 KiB. */
async function heapsOf(agents: number, turns: number): Promise<readonly number[]> {
  const repository = makeTemporaryRepository({ 'long.txt': Array.from({ length: 2_000 }, (_, i) => `line ${String(i)} of a file that is read from its beginning to its end`).join('\n') });
  const machine = makeTemporaryFolder('memory');
  try {
    const child = fileURLToPath(new URL('./memory.child.ts', import.meta.url));
    const { stdout } = await run(process.execPath, ['--no-warnings', '--expose-gc', child, JSON.stringify({ checkout: repository.folder, machine, agents, turns })]);
    return JSON.parse(stdout) as readonly number[];
  } finally {
    removeFolder(machine);
    repository.remove();
  }
}

// Each measures a process of its own, which mostly waits for the disk: side by side.
describe.concurrent('the memory of a window', () => {
  it('stays flat over 500 turns of an agent with large outputs', async () => {
    const heaps = await heapsOf(1, 500);
    const atWork = heaps.slice(1, -1);
    expect(atWork).toHaveLength(50);
    const mean = (part: readonly number[]): number => part.reduce((sum, n) => sum + n, 0) / part.length;
    // 300 turns of 16 KiB lie between the two: originals that were kept would be 4.7 MB.
    expect(mean(atWork.slice(40)) - mean(atWork.slice(10, 20))).toBeLessThan(2 * MB);
  }, 600_000);

  it('holds less than 2 MB for a change that waits', async () => {
    const [before = 0, ...later] = await heapsOf(50, 5);
    expect(((later.at(-1) ?? 0) - before) / 50).toBeLessThan(2 * MB);
  }, 600_000);
});
