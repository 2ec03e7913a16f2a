import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeTree, Trash } from '../../../src/adapters/git/worktrees/trash.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporaryFolder.ts';

let root: string;
beforeEach(() => { root = makeTemporaryFolder('trash'); });
afterEach(async () => {
  await removeTree(path.join(root, 'doomed'));
  removeFolder(root);
});

/** Deeper than any path can say, as a program makes it that goes down step by step; with a way out at the bottom. */
function makeDeep(folder: string, levels: number, outside: string): void {
  const name = 'd'.repeat(200);
  execFileSync('sh', ['-c', `cd "$1" && i=0 && while [ $i -lt ${String(levels)} ]; do mkdir ${name} && cd -P ${name} && i=$((i + 1)); done && echo x > file && ln -s "$2" out`, 'sh', folder, outside]);
}

describe.skipIf(process.platform === 'win32')('what is thrown away', () => {
  it('goes also where its folders are nested too deep to be named, and what its links lead to stays', async () => {
    const kept = path.join(root, 'kept');
    const doomed = path.join(root, 'doomed');
    for (const folder of [kept, doomed]) mkdirSync(folder);
    writeFileSync(path.join(kept, 'work.txt'), 'x');
    makeDeep(doomed, 40, kept);
    symlinkSync(kept, path.join(doomed, 'link'));
    const trash = new Trash(path.join(root, '.trash'));
    await trash.take(doomed);
    await trash.empty();
    expect(readdirSync(path.join(root, '.trash'))).toEqual([]);
    expect(readdirSync(kept)).toEqual(['work.txt']);
  });

  it('goes also where its folders were made unwritable', async () => {
    const doomed = path.join(root, 'doomed');
    mkdirSync(path.join(doomed, 'cache/deep'), { recursive: true });
    writeFileSync(path.join(doomed, 'cache/deep/file'), 'x');
    for (const folder of ['cache/deep', 'cache']) chmodSync(path.join(doomed, folder), 0o500);
    await removeTree(doomed);
    expect(existsSync(doomed)).toBe(false);
  });
});
