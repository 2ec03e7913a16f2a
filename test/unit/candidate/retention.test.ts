import { describe, expect, it } from 'vitest';
import { acceptsByTrailer } from '../../../src/core/candidate/retention.ts';
import { commit, E1 } from '../../support/facts.ts';

const accept = (n: number, episode = E1 as string) => ({ commit: commit(n), message: `Cap retries\n\nWorldtree-Episode: ${episode}\n` });
const undo = (n: number) => ({ commit: commit(n), message: `Undo: Cap retries\n\nTakes back 0000001.\n\nWorldtree-Episode: ${E1}\n` });

describe('an accept in a history that was rewritten', () => {
  it('is found by its trailer, among commits of others', () => {
    expect(acceptsByTrailer([{ commit: commit(3), message: 'By hand\n' }, accept(2), accept(1, 'e9-k3f9')], E1)).toEqual([commit(2)]);
  });

  it('falls out together with its undo, and one that came after it stays', () => {
    expect(acceptsByTrailer([undo(2), accept(1)], E1)).toEqual([]);
    expect(acceptsByTrailer([accept(3), undo(2), accept(1)], E1)).toEqual([commit(3)]);
    expect(acceptsByTrailer([undo(4), undo(3), accept(2), accept(1)], E1)).toEqual([]);
  });

  it('is found in a squash that lists the messages of several commits', () => {
    expect(acceptsByTrailer([{ commit: commit(5), message: `Retries (#12)\n\n* Cap retries\n\nWorldtree-Episode: ${E1}\nWorldtree-Model: glm\n\n* Wording\n` }], E1)).toEqual([commit(5)]);
  });
});
