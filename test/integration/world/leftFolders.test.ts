import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeLeftFolders, temporaryPrefix } from '../../../src/adapters/temporaryFolders.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporaryFolder.ts';

describe('temporary folders', () => {
  const before = process.env['TMPDIR'];
  let folder = '';
  beforeEach(() => { process.env['TMPDIR'] = folder = makeTemporaryFolder('tmp'); });
  afterEach(() => {
    if (before === undefined) Reflect.deleteProperty(process.env, 'TMPDIR');
    else process.env['TMPDIR'] = before;
    removeFolder(folder);
  });

  it('of a process that was killed go with what is in them, and those of one that lives stay', async () => {
    const mine = path.basename(mkdtempSync(temporaryPrefix('index')));
    const { pid } = spawnSync(process.execPath, ['--version']);
    const left = mine.replace(`-${process.pid}-`, `-${pid}-`);
    const elsewhere = left.replace(/^worldtree-index-\d+-/, 'worldtree-index-1-');
    for (const name of [left, elsewhere, 'somebody-else']) mkdirSync(path.join(folder, name));
    writeFileSync(path.join(folder, left, 'index.lock'), 'half');

    await removeLeftFolders();

    expect(readdirSync(folder).sort()).toEqual([elsewhere, mine, 'somebody-else'].sort());
  });
});
