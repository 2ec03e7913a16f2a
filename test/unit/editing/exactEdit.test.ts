import { describe, expect, it } from 'vitest';
import { exactEdit } from '../../../src/core/editing/exactEdit.ts';
import { decodeText, encodeText } from '../../../src/core/editing/textFile.ts';

describe('an exact edit', () => {
  it('replaces the one place where the text stands', () => {
    expect(edit('one\ntwo\nthree\n', 'two', 'TWO')).toBe('one\nTWO\nthree\n');
    expect(edit('one\ntwo', 'two', '')).toBe('one\n');
    expect(edit('a b c', ' b ', '\n')).toBe('a\nc');
  });

  it('goes through a text once, however often the old text stands in it', () => {
    const many = '  },\n'.repeat(200_000);
    expect(edit(many, '},', '}')).toMatch(/occurs 200000 times, at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and more/);
    const all = exactEdit(encodeText(many, false), { oldText: '},', newText: '}', all: true });
    expect(all.kind === 'edited' && all.lines.at(-1)).toBe(200_000);
  });

  it('takes special replacement patterns as plain text', () => {
    expect(edit('price\n', 'price', "$& $1 $' $$")).toBe("$& $1 $' $$\n");
  });

  it('matches CRLF by LF and writes CRLF again', () => {
    expect(edit('one\r\ntwo\r\nthree\r\n', 'one\ntwo\n', 'one\nand\ntwo\n')).toBe('one\r\nand\r\ntwo\r\nthree\r\n');
    expect(edit('one\r\ntwo\r\n', 'one\r\ntwo', 'one\r\nmore\r\ntwo')).toBe('one\r\nmore\r\ntwo\r\n');
    expect(edit('one\r\ntwo\r\n', '\n', ' and ', false)).toMatch(/occurs 2 times/);
    expect(edit('one\r\ntwo', 'one', 'one\nand')).toBe('one\r\nand\r\ntwo');
    expect(edit('one\r\ntwo', 'two', 'two\nthree')).toBe('one\r\ntwo\r\nthree');
    expect(edit('one\ntwo\n', 'two', 'two\r\nthree')).toBe('one\ntwo\nthree\n');
    expect(edit('a\r\nb\r\n', 'a\nb', 'a b')).toBe('a b\r\n');
  });

  it('in a file that mixes line ends leaves the lines alone that it does not change', () => {
    const mixed = 'a\r\nb\nc\r\nd\ne\r\n';
    expect(edit(mixed, 'a\nb\nc\nd\ne\n', 'a\nb\nC\nd\ne\n')).toBe('a\r\nb\nC\nd\ne\r\n');
    expect(edit(mixed, 'a\nb\nc\nd\ne\n', 'a\nb\nnew\nc\nd\ne\n')).toBe('a\r\nb\nnew\nc\r\nd\ne\r\n');
    expect(edit(mixed, 'a\nb\nc\nd\ne\n', 'x\nb\ny\nd\ne\n')).toMatch(/^x\r\nb\ny\r?\nd\ne\r\n$/);
    expect(edit(mixed, 'b\nc', 'c')).toBe('a\r\nc\r\nd\ne\r\n');
  });

  it('takes a carriage return on its own for an ordinary character', () => {
    expect(edit('a\rb\nc\r\r\nd', 'c\r\r\nd', 'C\r\r\nD')).toBe('a\rb\nC\r\r\nD');
    expect(edit('a\rb', 'b', 'c')).toBe('a\rc');
  });

  it('keeps a byte order mark and does not see it', () => {
    expect(edit('\ufeffone\n', 'one', 'two')).toBe('\ufefftwo\n');
    expect(edit('\ufeffone\n', '\ufeffone', 'two')).toMatch(/does not occur/);
  });

  it('refuses a text that occurs several times, with the count and the lines', () => {
    expect(edit('x\ny\nx\nx\n', 'x', 'z')).toMatch(/occurs 3 times, at lines 1, 3, 4\. Add more of the lines around/);
    expect(edit('aaa', 'aa', 'b')).toMatch(/occurs 2 times/);
  });

  it('replaces all of them where that is asked for', () => {
    expect(edit('x\r\ny\nx\n', 'x\n', 'z\n', true)).toBe('z\r\ny\nz\n');
    expect(edit('aaaa', 'aa', 'b', true)).toBe('bb');
    expect(exactEdit(encodeText('x\nx\n', false), { oldText: 'x', newText: 'y', all: true })).toMatchObject({ kind: 'edited', lines: [1, 2] });
  });

  it('refuses what changes nothing or names nothing', () => {
    expect(edit('one', 'one', 'one')).toMatch(/are the same/);
    expect(edit('one\r\n', 'one\n', 'one\r\n')).toMatch(/are the same/);
    expect(edit('one', '', 'x')).toMatch(/old_text is empty.*write_file/);
  });

  it.each([['utf16le' as const, '\ufeffone'], ['latin1' as const, 'caf\xe9']])('refuses %s without touching it', (encoding, text) => {
    const bytes = new Uint8Array(Buffer.from(text, encoding));
    expect(exactEdit(bytes, { oldText: 'one', newText: 'two', all: false })).toMatchObject({ kind: 'refused' });
  });

  it('is quick with many lines that differ', () => {
    const old = Array.from({ length: 3000 }, (_, i) => `old ${i}`).join('\n');
    const from = performance.now();
    expect(edit(`${old}\r\n`, old, old.replaceAll('old', 'new'))).toContain('new 2999');
    expect(performance.now() - from).toBeLessThan(5000);
  });
});

describe('a near miss', () => {
  it('of white space only shows the lines as they are', () => {
    expect(edit('if (x) {\n\treturn 1;\n}\n', 'if (x) {\n    return 1;\n}', 'y')).toMatch(/Lines 1 to 3 differ from it only in white space\. They read exactly:\nif \(x\) \{\n\treturn 1;\n\}$/);
  });

  it('shows the line that is most alike', () => {
    const words = edit('import a\n\nfunction total(values) {\n  return 0;\n}\n', 'function totals(value) {', 'x');
    expect(words).toMatch(/is line 3:\n\nfunction total\(values\) \{\n {2}return 0;\nCopy the text from the file/);
  });

  it('that begins right shows the first line that differs', () => {
    const words = edit('import a\n\nconst cache = {};\nlet n = 0;\n', 'const cache = {};\nlet n = 1;\n', 'x');
    expect(words).toMatch(/Its beginning is at line 3\. The first difference is in line 4: old_text has "let n = 1;", the file has:\nlet n = 0;/);
  });

  it('made of numbered lines says so', () => {
    expect(edit('one\ntwo\n', '1\tone\n2\ttwo', 'x')).toMatch(/leave out the number/);
  });

  it('of nothing says to read again', () => {
    expect(edit('one\n', '%%%%%%%%', 'x')).toMatch(/does not occur in it\. Read the file again/);
  });
});

describe('text', () => {
  it.each([
    ['', 'text'], ['plain\n', 'text'], ['日本 😀', 'text'],
  ])('%j is told as what it is', (text, kind) => {
    expect(decodeText(encodeText(text, false))).toEqual({ kind, text, bom: false });
  });

  it.each([
    [[0xff, 0xfe, 0x41, 0], 'utf-16'], [[0xfe, 0xff, 0, 0x41], 'utf-16'], [[0x41, 0, 0x42, 0, 0x43, 0, 0x44, 0], 'utf-16'], [[0, 0x41, 0, 0x42, 0, 0x43, 0, 0x44], 'utf-16'],
    [[0x63, 0x61, 0x66, 0xe9], 'other-encoding'], [[0x41, 0, 0, 0, 0x42], 'binary'], [[0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 0x0d], 'binary'],
  ])('bytes %j are %s', (bytes, kind) => {
    expect(decodeText(new Uint8Array(bytes))).toEqual({ kind });
  });
});

/** The edited text, or the words of the refusal. */
function edit(text: string, oldText: string, newText: string, all = false): string {
  const result = exactEdit(encodeText(text.replace(/^\ufeff/, ''), text.startsWith('\ufeff')), { oldText, newText, all });
  return result.kind === 'edited' ? Buffer.from(result.bytes).toString('utf8') : result.words;
}
