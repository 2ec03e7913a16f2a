import { describe, expect, it } from 'vitest';
import { parseGoFile } from '../../../src/core/survey/api/goFile.ts';
import { parseJsModule } from '../../../src/core/survey/api/jsModule.ts';
import { parsePythonModule } from '../../../src/core/survey/api/pythonModule.ts';
import { parseRustModule } from '../../../src/core/survey/api/rustModule.ts';
import { parseReadme } from '../../../src/core/survey/readme.ts';

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  readme: (text) => parseReadme(`# T\n\n${text}`), rst: (text) => parseReadme(text, true),
  JavaScript: (text) => parseJsModule(`export const a = ${text}\n${text}`), Python: parsePythonModule, Rust: parseRustModule, Go: (text) => parseGoFile(`package a\n${text}\nfunc A() {}`),
};
const PIECES = ['.', '(', '[', '`', '*', '<', ' ', '\n', '\t', 'a ', '[a](', '![', '<p>', '</p>\n<p>', '<!--', '"', '/*', '/', '\\', '{', '`${', 'export {', 'import a from ', 'exports.a = ', 'from . import (', 'def a(', '"""', 'pub use a::{', '#[', '// a\n', 'type (\n', '.. a\n  \n', '=\n', '---\n', '{@link ', 'cfg! {\n', 'const a = ('];

describe('a file that was made to keep its reader busy', () => {
  // Each piece fills what a tool answers at most. A reader that goes over it again and again would take minutes.
  it.each(Object.keys(READERS))('does not keep the reader of %s busy', (name) => {
    const read = READERS[name];
    const before = process.cpuUsage();
    for (const piece of PIECES) for (const tail of ['', '\nx']) read?.(piece.repeat(Math.ceil(16_000 / piece.length)) + tail);
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(20);
  });
});
