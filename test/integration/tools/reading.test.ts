import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import type { FileTree } from '../../support/temporaryRepository.ts';
import { ToolBench } from './toolBench.ts';

const benches: ToolBench[] = [];
afterAll(async () => {
  for (const bench of benches.splice(0)) await bench.close();
});

describe('reading a file', () => {
  it('shows numbered lines without byte order mark and CR, and a part of them where asked', async () => {
    const bench = given({ 'a.txt': '\ufeffone\r\ntwo\r\nthree\r\nfour' });
    expect((await bench.call('read_file', { path: 'a.txt' })).text).toBe('a.txt, lines 1 to 4 of 4.\n1\tone\n2\ttwo\n3\tthree\n4\tfour');
    expect((await bench.call('read_file', { path: 'a.txt', from_line: 2, lines: 2 })).text).toBe('a.txt, lines 2 to 3 of 4. Ask for the next ones with from_line 4.\n2\ttwo\n3\tthree');
    expect((await bench.call('read_file', { path: 'a.txt', from_line: 9 })).text).toMatch(/has 4 lines; there is no line 9/);
  });

  it('of any length cuts it with a note that says how to go on, in flat memory', async () => {
    const bench = given({ 'a.txt': 'x', 'long.txt': 'x' });
    writeFileSync(bench.at('a.txt'), Array.from({ length: 100_000 }, (_, i) => `line ${i + 1} of many, with an ü`).join('\n'));
    const result = await bench.call('read_file', { path: 'a.txt' });
    expect(Buffer.byteLength(result.text)).toBeLessThanOrEqual(16 * 1024);
    expect(Buffer.byteLength(result.text)).toBeGreaterThan(12 * 1024);
    const next = /^a\.txt, lines 1 to (\d+) of 100000\. Ask for the next ones with from_line (\d+)\./.exec(result.text);
    expect(Number(next?.[2])).toBe(Number(next?.[1]) + 1);
    expect((await bench.call('read_file', { path: 'a.txt', from_line: 99_999 })).text).toContain('\n100000\tline 100000 of many');

    writeFileSync(bench.at('long.txt'), `${'ä'.repeat(3_000_000)}\nshort\n`);
    const long = await bench.call('read_file', { path: 'long.txt' });
    expect(long.text).toMatch(/\[… \d+ more bytes in this line\]\n2\tshort$/);
    expect(long.text).not.toContain('\ufffd');

    // What is read must not depend on the size.
    writeFileSync(bench.at('huge.txt'), 'line\n'.repeat(20_000));
    truncateSync(bench.at('huge.txt'), 1024 ** 3);
    const before = process.memoryUsage().arrayBuffers;
    expect((await bench.call('read_file', { path: 'huge.txt' })).text).toMatch(/^huge\.txt, lines 1 to \d+ of many more\. Ask for the next ones/);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 1024 ** 2);
  });

  it('says what cannot be shown, and where a path may have been meant', async () => {
    const bench = given({ 'packages/api/src/Model.ts': 'x', 'README.md': 'x', 'empty.txt': '' }, 'packages/api');
    expect((await bench.call('read_file', { path: 'packages/api' })).text).toMatch(/is a folder. Use list_files/);
    expect((await bench.call('read_file', { path: 'src/Model.ts' })).text).toMatch(/Did you mean packages\/api\/src\/Model\.ts\?/);
    expect((await bench.call('read_file', { path: 'packages/api/src/model.js' })).text).toMatch(/There is Model\.ts/);
    expect((await bench.call('read_file', { path: 'nowhere.txt' })).text).toMatch(/does not exist/);
    expect((await bench.call('read_file', { path: 'empty.txt' })).text).toBe('empty.txt is empty.');
    execFileSync('mkfifo', [bench.at('pipe')]);
    expect((await bench.call('read_file', { path: 'pipe' })).text).toMatch(/neither a file nor a folder/);
  });

  it('that was copied in and may hold secrets asks first, and only then', async () => {
    const bench = given({ '.env.tracked': 'A=1\n' });
    bench.bring('.env', 'data.json');
    for (const file of ['.env', 'data.json']) writeFileSync(bench.at(file), 'KEY=hidden\n');
    const refused = await bench.call('read_file', { path: '.env' });
    expect(refused.ok).toBe(false);
    expect(refused.text).not.toContain('hidden');
    symlinkSync('.env', bench.at('innocent'));
    expect((await bench.call('read_file', { path: 'innocent' })).text).not.toContain('hidden');
    expect(bench.askedToShow).toEqual(['.env', '.env']);
    // Neither does an edit tell what is in it, by a near miss or by a hit.
    for (const [path, old_text] of [['.env', 'KEY=hid\nzzz'], ['.env', 'KEY=hidden'], ['innocent', 'KEY=hid']] as const) expect(await bench.call('edit_file', { path, old_text, new_text: 'x' })).toEqual({ ok: false, text: refused.text });
    expect(bench.read('.env')).toBe('KEY=hidden\n');
    bench.askedToShow.splice(2);
    expect((await bench.call('read_file', { path: '.env' }, { mayShow: () => Promise.resolve(true) })).text).toContain('KEY=hidden');
    expect((await bench.call('read_file', { path: 'data.json' })).text).toContain('KEY=hidden');
    expect((await bench.call('read_file', { path: '.env.tracked' })).ok).toBe(true);
    expect((await bench.call('search', { pattern: 'hidden' })).text).toMatch(/^data\.json:1: KEY=hidden\nNot searched: 1 copied-in/);
    expect(bench.askedToShow).toHaveLength(2);
  });
});

describe('listing a folder', () => {
  it('leaves out what git ignores, nested rules included, and git itself', async () => {
    const bench = given({ '.gitignore': 'dist/\n*.log\n/only-root\n', 'a.ts': '', 'sub/.gitignore': '!keep.log\ntmp\n', 'sub/b.ts': '', 'sub/only-root': '' });
    bench.repository.write({});
    for (const file of ['x.log', 'only-root', 'sub/keep.log', 'sub/other.log']) writeFileSync(bench.at(file), '');
    for (const folder of ['dist', 'sub/dist', 'sub/tmp']) {
      mkdirSync(bench.at(folder));
      writeFileSync(bench.at(`${folder}/x`), '');
    }
    symlinkSync('a.ts', bench.at('link'));
    expect((await bench.call('list_files', {})).text).toBe(['Below /:', '.gitignore', 'a.ts', 'link (link)', 'sub/', 'sub/.gitignore', 'sub/b.ts', 'sub/keep.log', 'sub/only-root'].join('\n'));
    expect(bench.changed().filter((line) => line.startsWith('??'))).toEqual(['?? link', '?? sub/keep.log']);
    expect((await bench.call('list_files', { folder: 'sub/dist' })).text).toBe('Below sub/dist:\nsub/dist/x');
  });

  it('starts at the agent\'s folder and goes as deep as asked', async () => {
    const bench = given({ 'packages/api/a/b/c/d/e.ts': '', 'packages/web/x.ts': '' }, 'packages/api');
    expect((await bench.call('list_files', {})).text.split('\n').slice(0, 4)).toEqual(['Below packages/api:', 'packages/api/a/', 'packages/api/a/b/', 'packages/api/a/b/c/ …']);
    expect((await bench.call('list_files', { depth: 20 })).text).toContain('packages/api/a/b/c/d/e.ts');
    expect((await bench.call('list_files', { folder: '', depth: 1 })).text).toBe('Below /:\npackages/ …\nFolders that end in … were not looked into: list them on their own, or give more depth.');
    expect((await bench.call('list_files', { folder: 'packages/web/x.ts' })).text).toMatch(/is a file/);
  });

  it('with a hundred thousand entries is cut with a note', async () => {
    const bench = given({ 'a.ts': '' });
    mkdirSync(bench.at('many'));
    await bench.call('run', { command: 'seq 1 100000 | xargs touch', folder: 'many', timeout_seconds: 300 });
    const result = await bench.call('list_files', { folder: 'many' });
    expect(Buffer.byteLength(result.text)).toBeLessThanOrEqual(16 * 1024);
    expect(result.text).toMatch(/The list was cut here/);
  });

  it('in a worktree below an ignored folder loses nothing', async () => {
    const bench = given({ '.gitignore': 'e1\nworktree*\n', 'a.ts': 'found\n' });
    expect((await bench.call('list_files', {})).text).toContain('a.ts');
    expect((await bench.call('search', { pattern: 'found' })).text).toBe('a.ts:1: found');
  });
});

describe('searching', () => {
  it('gives file, line and text, below a folder, with a glob, without case', async () => {
    const bench = given({ 'src/a.ts': 'const one = 1;\nexport function Two() {}\r\n', 'src/a.md': 'two\n', 'test/b.ts': 'two();\n' });
    expect((await bench.call('search', { pattern: 'two' })).text).toBe('src/a.md:1: two\ntest/b.ts:1: two();');
    expect((await bench.call('search', { pattern: 'two', ignore_case: true, glob: '*.ts' })).text).toBe('src/a.ts:2: export function Two() {}\ntest/b.ts:1: two();');
    expect((await bench.call('search', { pattern: '(?i)TWO\\b', folder: 'src', glob: '**/*.{ts,tsx}' })).text).toBe('src/a.ts:2: export function Two() {}');
    expect((await bench.call('search', { pattern: '^const', folder: 'src/a.ts' })).text).toBe('src/a.ts:1: const one = 1;');
    expect((await bench.call('search', { pattern: 'nothing' })).text).toBe('No line matches nothing (3 files searched).');
  });

  it('leaves out ignored and binary files and names the ones that are too large', async () => {
    const bench = given({ '.gitignore': 'dist\n', 'a.bin': Buffer.from('needle\0'), 'a.txt': 'needle\n', 'big.txt': 'x' });
    mkdirSync(bench.at('dist'));
    writeFileSync(bench.at('dist/x'), 'needle');
    writeFileSync(bench.at('big.txt'), 'needle\n'.repeat(700_000));
    expect((await bench.call('search', { pattern: 'needle' })).text).toBe('a.txt:1: needle\nNot searched, larger than 4 MiB: big.txt.');
  });

  it('with a pattern that backtracks without end is stopped', async () => {
    const bench = given({ 'a.txt': `${'a'.repeat(60)}!\n`, 'b.txt': 'b\n' });
    const from = performance.now();
    const result = await bench.call('search', { pattern: '^(a+)+$' });
    expect(result.ok).toBe(false);
    expect(result.text).toMatch(/takes too long on a\.txt.*nested repetitions/);
    expect(performance.now() - from).toBeLessThan(20_000);
  });

  it('with a pattern that is none says what is wrong', async () => {
    const bench = given({ 'a.txt': 'x' });
    expect((await bench.call('search', { pattern: 'foo(' })).text).toMatch(/no valid regular expression.*backslash/s);
    expect((await bench.call('search', { pattern: 'x', glob: '*a*a*a*a*b' })).text).toMatch(/too long to match. Use a glob with few stars/);
  });

  it('with very many matches is cut with a note', async () => {
    const bench = given({ 'a.txt': 'x' });
    for (let i = 0; i < 30; i++) writeFileSync(bench.at(`f${i}.txt`), `match ${'long '.repeat(40)}\n`.repeat(200));
    const result = await bench.call('search', { pattern: 'match' });
    expect(Buffer.byteLength(result.text)).toBeLessThanOrEqual(16 * 1024);
    expect(result.text).toMatch(/There are more matches: narrow/);
  });

  it('stops when the work is stopped', async () => {
    const bench = given({ 'a.txt': `${'a'.repeat(60)}!\n` });
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 200);
    const from = performance.now();
    expect((await bench.call('search', { pattern: '^(a+)+$' }, { signal: stop.signal })).text).toMatch(/the work was stopped/);
    expect(performance.now() - from).toBeLessThan(3000);
  });
});

function given(files: FileTree, folder = ''): ToolBench {
  const bench = new ToolBench(files, folder);
  benches.push(bench);
  return bench;
}
