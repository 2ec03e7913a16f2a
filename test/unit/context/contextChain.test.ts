import { describe, expect, it } from 'vitest';
import { contextChain, contextFiles, PAGE_BYTES } from '../../../src/core/context/contextChain.ts';
import type { FolderPath } from '../../../src/core/ids.ts';

describe('the context chain of a folder', () => {
  it('reads from the root down, in each folder AGENTS.md before CONTEXT.md', () => {
    const pages = chain('packages/api', { 'CONTEXT.md': 'root context', 'AGENTS.md': 'root agents', 'packages/CONTEXT.md': 'packages', 'packages/api/AGENTS.md': 'api agents', 'packages/web/CONTEXT.md': 'web' });
    expect(pages.map((p) => p.path)).toEqual(['AGENTS.md', 'CONTEXT.md', 'packages/CONTEXT.md', 'packages/api/AGENTS.md']);
  });

  it('takes CLAUDE.md only where there is no AGENTS.md, or an empty one', () => {
    expect(chain('a', { 'AGENTS.md': 'x', 'CLAUDE.md': 'y', 'a/CLAUDE.md': 'z' }).map((p) => p.text)).toEqual(['x', 'z']);
    expect(chain('', { 'AGENTS.md': ' \n', 'CLAUDE.md': 'y' }).map((p) => p.text)).toEqual(['y']);
  });

  it('takes the front matter off and understands it', () => {
    expect(chain('', { 'CONTEXT.md': '\ufeff---\r\nskill: [review]\r\nowner: ada\r\n---\r\n# Title\r\n\r\nText\r\n' })).toEqual([
      { path: 'CONTEXT.md', text: '# Title\n\nText', frontMatter: { skill: ['review'], owner: 'ada' }, problem: null },
    ]);
  });

  it('keeps a page whose front matter is broken, and says why', () => {
    const [page] = chain('', { 'CONTEXT.md': '---\na: [1\n---\nText' });
    expect(page?.text).toBe('Text');
    expect(page?.problem).not.toBeNull();
  });

  it('keeps dashes that are no front matter', () => {
    expect(chain('', { 'CONTEXT.md': 'Text\n---\nmore\n---\n' })[0]?.text).toBe('Text\n---\nmore\n---');
    expect(chain('', { 'CONTEXT.md': '---\nnever closed' })[0]?.text).toBe('---\nnever closed');
  });

  it('cuts a page after 64 KiB between characters, and says how to read the rest', () => {
    const [page] = chain('a', { 'a/CONTEXT.md': 'ü€😀'.repeat(20_000) });
    const [text, note] = (page?.text ?? '').split('\n');
    expect(Buffer.byteLength(text ?? '')).toBeLessThanOrEqual(PAGE_BYTES);
    expect(Buffer.byteLength(text ?? '')).toBeGreaterThan(PAGE_BYTES - 5);
    expect(text?.endsWith('\ufffd')).toBe(false);
    expect(note).toBe('[cut after 64 KiB; the rest: read_file a/CONTEXT.md]');
  });

  it('names every file that may be asked for', () => {
    expect(contextFiles('a/b' as FolderPath)).toContain('a/b/CLAUDE.md');
    expect(contextFiles('' as FolderPath)).toEqual(['AGENTS.md', 'CLAUDE.md', 'CONTEXT.md']);
  });
});

function chain(folder: string, files: Readonly<Record<string, string>>) {
  return contextChain(folder as FolderPath, (path) => files[path] ?? null);
}
