import { describe, expect, it } from 'vitest';
import { formatFile, formatListing, formatWrote, parseFile, parseListing, parseWrote } from '../../../src/core/tools/formats.ts';

describe('the text of a listing', () => {
  const entries = [
    { path: 'packages', folder: true, bytes: null },
    { path: 'packages/a b.ts', folder: false, bytes: 120 },
    { path: '[slug].tsx', folder: false, bytes: 7 },
    { path: 'odd (3 bytes)', folder: false, bytes: null },
    { path: 'two\nlines.txt', folder: false, bytes: 1 },
    { path: '-dash', folder: false, bytes: 2 },
    { path: 'ünï/日本.md', folder: false, bytes: 3 },
  ];

  it('reads back as the entries it was written from, whatever their names', () => {
    expect(parseListing(formatListing({ entries, cut: null }), '')).toEqual({ entries, cut: null });
  });

  it('tells that it was cut, and by which note', () => {
    const text = formatListing({ entries, cut: '12 more; list a folder below' });
    expect(text.endsWith('\n[12 more; list a folder below]')).toBe(true);
    expect(parseListing(text, '').cut).toBe('12 more; list a folder below');
  });

  it('gives nothing for an error in words', () => {
    expect(parseListing('There is no folder "lib". Call list_files without a folder to see what there is.', 'lib').entries).toEqual([]);
  });
});

describe('the text of a file', () => {
  it('reads back with its line numbers and without its notes', () => {
    const text = formatFile({ lines: ['[not a note]', '\ttabbed', ''], from: 41, cut: 'lines 44 to 90: read_file with from_line 44' }, 'this file is not checked out: shown from 3f9a21c');
    expect(parseFile(text)).toEqual({ lines: ['[not a note]', '\ttabbed', ''], from: 41, cut: 'lines 44 to 90: read_file with from_line 44' });
  });

  it('is no file where no line has a number', () => {
    expect(parseFile('There is no file "a.ts".')).toBeNull();
    expect(parseFile('')).toBeNull();
  });
});

describe('the answer to a write', () => {
  it('says whether the file was written, and whether an ignore rule keeps it out', () => {
    expect(parseWrote(formatWrote('ignore/a.md', 12, false), 'ignore/a.md')).toEqual({ ignored: false });
    expect(parseWrote(formatWrote('ignore/a.md', 12, true, '*.md in .gitignore'), 'ignore/a.md')).toEqual({ ignored: true });
    expect(parseWrote('"a" is outside the worktree.', 'a')).toBeNull();
  });
});
