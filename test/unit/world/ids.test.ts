import { describe, expect, it } from 'vitest';
import { callId, commitId, episodeId, filePath, folderPath, refName, shortCommit, shortEpisode, treeId } from '../../../src/core/ids.ts';

const accepts = (schema: { safeParse(value: unknown): { success: boolean } }, value: unknown) => schema.safeParse(value).success;

describe('names that come from disk, git or a model', () => {
  it.each(['e1-k3f9', 'e12-0000', 'e4711-zz9z'])('%j is an episode', (id) => {
    expect(accepts(episodeId, id)).toBe(true);
  });

  it.each(['e0-k3f9', 'e01-k3f9', 'e1', 'e1-k3f', 'e1-K3F9', 'e1-k3f99', 'x1-k3f9', 'e1-k3f9\n', '../e1-k3f9', '', 12, null])('%j is no episode', (id) => {
    expect(accepts(episodeId, id)).toBe(false);
  });

  it('objects have their full name, SHA-1 or SHA-256, in small letters', () => {
    for (const schema of [commitId, treeId]) {
      expect(accepts(schema, 'a'.repeat(40))).toBe(true);
      expect(accepts(schema, '0'.repeat(64))).toBe(true);
      for (const wrong of ['a'.repeat(39), 'a'.repeat(41), 'a'.repeat(50), 'A'.repeat(40), 'g'.repeat(40), `${'a'.repeat(40)}\n`, 'HEAD', '']) expect(accepts(schema, wrong), wrong).toBe(false);
    }
  });

  it.each(['a', 'a/b.ts', '.env', '-rf', 'a b/ü/日本/🙂', 'quo"te', "it's", 'new\nline', 'back\\slash', '..a', 'a..', '...'])('%j is a path of a file and of a folder', (path) => {
    expect([accepts(filePath, path), accepts(folderPath, path)]).toEqual([true, true]);
  });

  it.each(['/etc/passwd', 'a/', 'a//b', './a', 'a/./b', '../a', 'a/../b', 'a/..', '.', '..', 'a\0b', '/'])('%j is neither', (path) => {
    expect([accepts(filePath, path), accepts(folderPath, path)]).toEqual([false, false]);
  });

  it('only a folder may be the root', () => {
    expect([accepts(folderPath, ''), accepts(filePath, '')]).toEqual([true, false]);
  });

  it('refs are full names', () => {
    expect([accepts(refName, 'refs/heads/main'), accepts(refName, 'main'), accepts(refName, 'HEAD')]).toEqual([true, false, false]);
  });

  it('a tool call has an id, whatever its model makes of it', () => {
    expect([accepts(callId, 'call_9/x:y'), accepts(callId, '')]).toEqual([true, false]);
  });
});

describe('names as people see them', () => {
  it('are the number of the agent and the first seven digits of the commit', () => {
    expect(shortEpisode(episodeId.parse('e12-k3f9'))).toBe('e12');
    expect(shortCommit(commitId.parse('3f9a21c'.padEnd(40, '0')))).toBe('3f9a21c');
  });
});
