import { describe, expect, it } from 'vitest';
import { parseFile, parseListing, parseWrote } from '../../../src/core/tools/formats.ts';

describe('the answer of list_files', () => {
  it('gives files, folders and links, and which folders were not looked into', () => {
    const text = ['Below /:', 'a b.ts', '[slug].tsx', 'link.md (link)', 'packages/', 'packages/api/ …', 'sized.txt (120 bytes)', 'Folders that end in … were not looked into: list them on their own, or give more depth.'].join('\n');
    expect(parseListing(text, '')).toEqual({
      entries: [file('a b.ts'), file('[slug].tsx'), file('link.md'), folder('packages'), folder('packages/api'), { path: 'sized.txt', folder: false, bytes: 120 }],
      closed: ['packages/api'],
      cut: false,
    });
  });

  it('tells that it was cut', () => {
    expect(parseListing('Below src:\nsrc/a.ts\nThe list was cut here: list a folder further down, give less depth, or use search with a glob.', 'src')).toEqual({ entries: [file('src/a.ts')], closed: [], cut: true });
  });

  it.each(['/ is empty, or everything in it is ignored.', 'x cannot be listed: there is no such file or folder. Folders are relative to the repository\'s root.', 'x is a file. Use read_file.', ''])('gives nothing for %j', (text) => {
    expect(parseListing(text, '')).toEqual({ entries: [], closed: [], cut: false });
  });

  it('leaves out what does not lie below the folder', () => {
    expect(parseListing('Something went wrong.\nsrcx/a.ts\nsrc/b.ts', 'src').entries).toEqual([file('src/b.ts')]);
  });
});

describe('the answer of read_file', () => {
  it('gives lines as they are, and whether there are more', () => {
    expect(parseFile('a.ts, lines 41 to 43 of 90. Ask for the next ones with from_line 44.\n41\t[not a note]\n42\t\ttabbed\r\n43\t')).toEqual({ lines: ['[not a note]', '\ttabbed', ''], from: 41, more: true });
    expect(parseFile('a.ts, lines 1 to 1 of 1.\n1\tx, lines 1 to 2 of 9.')).toEqual({ lines: ['x, lines 1 to 2 of 9.'], from: 1, more: false });
    expect(parseFile('a.ts, lines 1 to 1 of many more.\n1\tx')).toMatchObject({ more: true });
    expect(parseFile('    1\tx')).toMatchObject({ more: null });
  });

  it.each(['a.ts cannot be read: there is no such file or folder.', 'a.ts is empty.', ''])('is no file for %j', (text) => {
    expect(parseFile(text)).toBeNull();
  });
});

describe('the answer of write_file', () => {
  it('tells whether it was written and whether the change will have it', () => {
    expect(parseWrote('a/b.md: made, 12 lines.', 'a/b.md')).toEqual({ kept: true });
    expect(parseWrote('a.md: replaced, 1 line. It matches the rule "*.md" of .gitignore, so it will not be part of your change. If it has to be, write it with write_file and force: true.', 'a.md')).toEqual({ kept: false });
    expect(parseWrote('a.md: made, 1 line. It was copied in from the person\'s checkout or made by setup, so it is never part of your change.', 'a.md')).toEqual({ kept: false });
    expect(parseWrote('a.md was not written: permission denied.', 'a.md')).toBeNull();
  });
});

function file(path: string) {
  return { path, folder: false, bytes: null };
}

function folder(path: string) {
  return { path, folder: true, bytes: null };
}
