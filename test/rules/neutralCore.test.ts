import { execFileSync } from 'node:child_process';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../support/projectRoot.ts';
import { impureUses } from './purity.ts';
import { readSourceTree } from './sourceTree.ts';

describe('core', () => {
  it('bundles for a platform that has neither Node nor VS Code', () => {
    expect(execFileSync(process.execPath, ['esbuild.mjs', '--check-core'], { cwd: projectRoot, encoding: 'utf8' })).toMatch(/^core bundles for a neutral platform: \d+ files$/m);
  });

  it.for(["import { readFileSync } from 'node:fs'; readFileSync('a');", "import * as vscode from 'vscode'; vscode.window;"])('would not bundle if it said %s', async (contents) => {
    await expect(build({ stdin: { contents }, bundle: true, platform: 'neutral', write: false, logLevel: 'silent' })).rejects.toThrow(/Could not resolve/);
  });

  it('asks neither clock nor chance nor its surroundings', () => expect(impureUses(readSourceTree('src/core'))).toEqual([]));

  it.for([
    'const now = Date.now();', 'const now = new Date();', 'const now = new Date;', 'const now = Date();', 'const dice = Math.random();', 'const id = crypto.randomUUID();',
    'const t = performance.now();', 'setTimeout(() => {}, 1);', 'const { env } = process;', 'globalThis.x;', 'await fetch(url);', "console.log('a');",
  ])('is found out when it says %s', (text) => expect(impureUses({ 'src/core/a.ts': text })).toHaveLength(1));

  it.for(['const at = new Date(time);', 'const { performance } = figures; use(performance);', 'episode.process;', 'const a = { crypto: 1 };', 'interface A { fetch: string }', 'Math.max(1, 2);', '// Date.now()'])('is let through when it says %s', (text) => {
    expect(impureUses({ 'src/core/a.ts': text })).toEqual([]);
  });
});
