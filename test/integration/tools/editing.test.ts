import { chmodSync, linkSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { FileTree } from '../../support/temporaryRepository.ts';
import { ToolBench } from './toolBench.ts';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0)) await clean();
});

describe('editing a file', () => {
  it('changes only the lines that were meant, with CRLF, a byte order mark and the executable bit kept', async () => {
    const bench = given({ 'run.sh': { content: '\ufeff#!/bin/sh\r\necho one\r\necho two\r\n', mode: 0o755 }, '.gitattributes': '* -text\n' });
    const result = await bench.call('edit_file', { path: 'run.sh', old_text: 'echo one\necho two', new_text: 'echo one\necho more\necho two' });
    expect(result).toMatchObject({ ok: true, wrote: 'run.sh' });
    expect(result.text).toBe('run.sh: Replaced; the new text begins at line 2.');
    expect(bench.read('run.sh')).toBe('\ufeff#!/bin/sh\r\necho one\r\necho more\r\necho two\r\n');
    expect(bench.mode('run.sh')).toBe(0o755);
    expect(bench.repository.git('-C', bench.worktree, 'diff', '--stat')).toMatch(/1 file changed, 1 insertion/);
  });

  it('goes well with core.autocrlf', async () => {
    const bench = given({ 'a.txt': 'one\ntwo\nthree\n' });
    bench.repository.git('config', 'core.autocrlf', 'true');
    bench.repository.git('-C', bench.worktree, 'checkout', '-q', '--force', '.');
    await bench.call('run', { command: "printf 'one\\r\\ntwo\\r\\nthree\\r\\n' > a.txt" });
    await bench.call('edit_file', { path: 'a.txt', old_text: 'two\n', new_text: 'TWO\nand a half\n' });
    expect(bench.read('a.txt')).toBe('one\r\nTWO\r\nand a half\r\nthree\r\n');
  });

  it.each([
    ['UTF-16', Buffer.from('\ufeffone two', 'utf16le')], ['Windows-1252', Buffer.from('caf\xe9 one\n', 'latin1')], ['binary', Buffer.from([1, 0, 2, 0x6f, 0x6e, 0x65])],
  ])('that is %s is refused, and its bytes stay', async (_, content) => {
    const bench = given({ 'a.txt': content });
    expect(await bench.call('edit_file', { path: 'a.txt', old_text: 'one', new_text: 'two' })).toMatchObject({ ok: false });
    expect(await bench.call('write_file', { path: 'a.txt', content: 'two' })).toMatchObject({ ok: false });
    expect(await bench.call('read_file', { path: 'a.txt' })).toMatchObject({ ok: false });
    expect(bench.bytes('a.txt')).toEqual(content);
  });

  it('leaves a hard-linked copy elsewhere as it was', async () => {
    const bench = given({ 'a.txt': 'one\n' });
    const copy = path.join(path.dirname(bench.worktree), 'store');
    linkSync(bench.at('a.txt'), copy);
    await bench.call('edit_file', { path: 'a.txt', old_text: 'one', new_text: 'two' });
    expect(readFileSync(copy, 'utf8')).toBe('one\n');
  });

  it('keeps a missing line end at the end, and a read-only mode', async () => {
    const bench = given({ 'a.txt': 'one\ntwo' });
    chmodSync(bench.at('a.txt'), 0o444);
    await bench.call('edit_file', { path: 'a.txt', old_text: 'two', new_text: 'three' });
    expect(bench.read('a.txt')).toBe('one\nthree');
    expect(bench.mode('a.txt')).toBe(0o444);
  });

  it('that does not exist, or is a folder, is told', async () => {
    const bench = given({ 'src/a.txt': 'x' });
    expect((await bench.call('edit_file', { path: 'b.txt', old_text: 'a', new_text: 'b' })).text).toMatch(/does not exist.*write_file/);
    expect((await bench.call('edit_file', { path: 'src', old_text: 'a', new_text: 'b' })).text).toMatch(/it is a folder/);
    expect((await bench.call('edit_file', { path: 'src/a.txt/x', old_text: 'a', new_text: 'b' })).text).toMatch(/a part of its path is a file/);
  });
});

describe('writing a file', () => {
  it('makes folders as needed, and nothing half-written stays', async () => {
    const bench = given({ 'a.txt': 'x' });
    expect((await bench.call('write_file', { path: 'src/deep/new file ü.ts', content: 'one\ntwo\n' })).text).toBe('src/deep/new file ü.ts: made, 2 lines.');
    expect(bench.read('src/deep/new file ü.ts')).toBe('one\ntwo\n');
    expect(readdirSync(bench.at('src/deep'))).toEqual(['new file ü.ts']);
  });

  it('in place of another keeps its mode, its byte order mark and its CRLF line ends', async () => {
    const bench = given({ 'a.cmd': { content: '\ufeffone\r\ntwo\r\n', mode: 0o755 }, '.gitattributes': '* -text\n' });
    expect((await bench.call('write_file', { path: 'a.cmd', content: 'three\nfour\n' })).text).toContain('kept its CRLF');
    expect(bench.read('a.cmd')).toBe('\ufeffthree\r\nfour\r\n');
    expect(bench.mode('a.cmd')).toBe(0o755);
  });

  it.each([['folder/'], [''], ['.'], ['./'], ['src']])('without a file\'s name (%j) makes nothing', async (file) => {
    const bench = given({ 'src/a.txt': 'x' });
    expect((await bench.call('write_file', { path: file, content: 'x' })).ok).toBe(false);
    expect(bench.changed()).toEqual([]);
  });

  it('says at once when an ignore rule keeps it out, and force includes it', async () => {
    const bench = given({ '.gitignore': 'dist/\n*.log\n!keep.log\n', 'packages/api/.gitignore': 'local.*\n' });
    const ignored = await bench.call('write_file', { path: 'packages/web/dist/x.js', content: 'x' });
    expect(ignored).toMatchObject({ ok: true, wrote: 'packages/web/dist/x.js', ignored: true });
    expect(ignored.text).toMatch(/rule "dist\/" of \.gitignore.*force: true/);
    const nested = await bench.call('write_file', { path: 'packages/api/local.json', content: 'x' });
    expect(nested.text).toMatch(/rule "local\.\*" of packages\/api\/\.gitignore/);
    expect(await bench.call('write_file', { path: 'keep.log', content: 'x' })).not.toHaveProperty('ignored');
    expect(await bench.call('write_file', { path: 'packages/web/local.json', content: 'x' })).not.toHaveProperty('ignored');
    const forced = await bench.call('write_file', { path: 'a.log', content: 'x', force: true });
    expect(forced).not.toHaveProperty('ignored');
    expect(forced.text).toMatch(/because you said force/);
  });

  it('that git has is not kept out by a rule', async () => {
    const bench = given({ 'a.txt': 'x' }, { filesOf: (commit) => Promise.resolve(bench.repository.git('ls-tree', '-r', '--name-only', commit).split('\n') as never) });
    bench.repository.write({ '.gitignore': '*.gen\n', 'a.gen': 'one\n' });
    bench.repository.git('add', '--force', 'a.gen');
    const commit = bench.repository.commit('More');
    bench.repository.git('-C', bench.worktree, 'checkout', '-q', commit);
    bench.context = { ...bench.context, base: commit as never };
    expect(await bench.call('edit_file', { path: 'a.gen', old_text: 'one', new_text: 'two' })).not.toHaveProperty('ignored');
    expect((await bench.call('list_files', {})).text).toContain('a.gen');
    expect((await bench.call('search', { pattern: 'two' })).text).toContain('a.gen:1: two');
    expect(await bench.call('write_file', { path: 'b.gen', content: 'x' })).toMatchObject({ ignored: true });
  });

  it('that was copied in says that it never is part of the change, whatever the ignore rules say', async () => {
    const bench = given({ '.gitignore': '!.env\n' });
    await bench.call('write_file', { path: '.env', content: 'A=1\n' });
    bench.bring('.env', 'vendor');
    for (const file of ['.env', 'vendor/x.js']) {
      const result = await bench.call('write_file', { path: file, content: 'A=2\n', force: true });
      expect(result).toMatchObject({ ok: true, ignored: true });
      expect(result.text).toMatch(/never part of your change/);
    }
  });
});

describe('arguments', () => {
  it('that are not valid are answered field by field, and nothing is done', async () => {
    const bench = given({ 'a.txt': 'x' });
    const result = await bench.call('write_file', { file: 'a.txt', content: 3 });
    expect(result.ok).toBe(false);
    expect(result.text).toBe([
      'The arguments of write_file are not valid. Nothing was done.',
      '- path: missing (File relative to the repository root. Folders are made as needed.)',
      '- content: expected string, received number; you gave 3 (The whole content. An existing file is replaced.)',
      '- file: write_file has no such argument',
      'Call it again with { path, content, force?, outside? }.',
    ].join('\n'));
    expect(bench.changed()).toEqual([]);
  });
});

function given(files: FileTree, options: ConstructorParameters<typeof ToolBench>[2] = {}): ToolBench {
  const bench = new ToolBench(files, '', options);
  cleanups.push(() => bench.close());
  return bench;
}
