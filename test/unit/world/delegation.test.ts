import { describe, expect, it } from 'vitest';
import { absolutePath, episodeId, filePath } from '../../../src/core/ids.ts';
import { AT_WORK, delegation, E1, ended, interrupted, prepared, PRICED, started, UNKNOWN, WAITING, WORKTREE } from '../../support/facts.ts';
import { given } from '../../support/given.ts';

describe('delegating a folder', () => {
  it('starts the first agent, whose worktree is then made', () => {
    const { world, target, goal, role, limits, uncommittedElsewhere } = delegation();
    const after = given().when(delegation()).then({
      events: [{ type: 'episode.started', episode: E1, parent: null, world, target, goal, role, model: PRICED, limits, uncommittedElsewhere }],
      effects: [{ do: 'prepare worktree', episode: E1 }],
    });
    expect(after.episode).toMatchObject({ phase: { name: 'preparing' }, worktree: null, startedAt: after.now, candidates: [] });
  });

  it('gives the next agent the next number', () => {
    const after = given(started()).when(delegation()).isAccepted();
    expect(after.episode.id).toBe('e2-k3f9');
  });

  it('never gives a number twice, even if the agent that had it was removed', () => {
    const after = given(started({ episode: episodeId.parse('e7-k3f9') }), { type: 'episode.removed', episode: episodeId.parse('e7-k3f9') }).when(delegation()).isAccepted();
    expect(after.episode.id).toBe('e8-k3f9');
  });

  it('keeps the facts of a clone apart: its agents end in another tag', () => {
    const after = given(started()).when(delegation({ tag: 'zz00' })).isAccepted();
    expect([...after.state.episodes.keys()]).toEqual(['e1-k3f9', 'e2-zz00']);
  });
});

describe('a worktree that is ready', () => {
  const ready = { type: 'worktree prepared', episode: E1, worktree: WORKTREE, brought: [filePath.parse('.env')], notes: ['2 files are LFS pointers'] } as const;

  it('sets the agent to work, with what was brought in remembered', () => {
    const after = given(started()).when(ready).then({
      events: [{ type: 'episode.prepared', episode: E1, worktree: WORKTREE, brought: [filePath.parse('.env')], notes: ['2 files are LFS pointers'] }],
      effects: [{ do: 'continue', episode: E1 }],
    });
    expect(after.episode).toMatchObject({ phase: { name: 'running' }, worktree: WORKTREE, brought: ['.env'], notes: ['2 files are LFS pointers'] });
  });

  it('that is made again while the agent is at work takes the place of the lost one', () => {
    const after = given(...AT_WORK).when({ ...ready, worktree: absolutePath.parse('/worktrees/e1-again') }).isAccepted();
    expect(after.episode.worktree).toBe('/worktrees/e1-again');
  });

  it('comes too late for an agent that was stopped meanwhile', () => {
    given(started(), ended('cancelled')).when(ready).refuses('wrong-state');
  });

  it.each([['waits for a verdict', WAITING], ['was interrupted', [...AT_WORK, interrupted()]]])('changes nothing for an agent that %s', (_words, past) => {
    given(...past).when(ready).refuses('wrong-state');
  });

  it('of an agent that nobody knows is refused', () => {
    given(started(), prepared()).when({ ...ready, episode: UNKNOWN }).refuses('episode-unknown');
  });
});
