import { describe, expect, it } from 'vitest';
import { filePath } from '../../../src/core/ids.ts';
import type { Command } from '../../../src/core/world/commands.ts';
import { currentCandidate } from '../../../src/core/world/state.ts';
import { asked, AT_WORK, candidate, E1, ended, interrupted, move, moved, movePrepared, proposed, rejected, reworked, started, UNKNOWN, WAITING, toMove, RECORDED } from '../../support/facts.ts';
import { given } from '../../support/given.ts';

describe('rejecting a change', () => {
  it('ends the agent as rejected, with the change still to be opened', () => {
    const after = given(...WAITING).when({ type: 'reject', episode: E1, reason: 'Too wide.' }).then({
      events: [rejected(1, 'Too wide.')],
      effects: [{ do: 'close', episode: E1 }],
    });
    expect(after.episode.phase).toMatchObject({ name: 'ended', outcome: 'rejected', words: 'Too wide.', candidate: 1 });
    expect(currentCandidate(after.episode)?.number).toBe(1);
  });

  it('is about the newest proposed change', () => {
    given(...WAITING, proposed(2, { source: 'edit' })).when({ type: 'reject', episode: E1, reason: '' }).then({ events: [rejected(2)], effects: [{ do: 'close', episode: E1 }] });
  });

  it('takes a reason afterwards', () => {
    const after = given(...WAITING, rejected(1)).when({ type: 'add reason', episode: E1, reason: 'Breaks the API.' }).then({
      events: [{ type: 'verdict.reason', episode: E1, number: 1, reason: 'Breaks the API.' }],
      effects: [{ do: 'close', episode: E1 }],
    });
    expect(after.episode.phase).toMatchObject({ outcome: 'rejected', words: 'Breaks the API.' });
  });

  it('can be taken back: the change waits again', () => {
    const after = given(...WAITING, rejected(1)).when({ type: 'withdraw reject', episode: E1 }).then({ events: [{ type: 'verdict.withdrawn', episode: E1, number: 1 }], effects: RECORDED });
    expect(after.episode.phase).toMatchObject({ name: 'waiting', candidate: 1 });
    after.when(toMove(move(1))).isAccepted();
  });

  it.each<Command['type'] & ('add reason' | 'withdraw reject')>(['add reason', 'withdraw reject'])('%s is refused for an accepted change, and names Undo', (type) => {
    const command: Command = type === 'add reason' ? { type, episode: E1, reason: 'x' } : { type, episode: E1 };
    given(...WAITING, ...moved(move(1))).when(command).refuses('wrong-state');
    given(...WAITING).when(command).refuses('wrong-state');
    given(...AT_WORK, ended('no change')).when(command).refuses('wrong-state');
  });
});

describe('sending a change back', () => {
  const back = { type: 'rework', episode: E1, words: 'Also cap the delay.', editedByPerson: [filePath.parse('packages/api/retry.ts')], madeAgain: null } as const;

  it('lets the same agent go on, with the person’s words and the files that they edited', () => {
    const after = given(...WAITING).when(back).then({
      events: [{ type: 'verdict.reworked', episode: E1, number: 1, words: 'Also cap the delay.', editedByPerson: [filePath.parse('packages/api/retry.ts')] }],
      effects: [{ do: 'continue', episode: E1 }],
    });
    expect(after.episode).toMatchObject({ phase: { name: 'running' }, reworked: { number: 1, words: 'Also cap the delay.' } });
    expect(currentCandidate(after.episode)).toBeUndefined();
  });

  it('keeps the change that was sent back beside the next one', () => {
    const after = given(...WAITING, reworked(1, 'Again.')).when({ type: 'propose', episode: E1, candidate: candidate(2), replaces: null }).isAccepted();
    expect(after.episode.candidates.map((c) => c.number)).toEqual([1, 2]);
    expect(currentCandidate(after.episode)?.number).toBe(2);
  });

  it('remembers which change the person had opened, for “Changes since I looked”', () => {
    const after = given(...WAITING).when({ type: 'look', episode: E1, number: 1 }).then({ events: [{ type: 'candidate.looked', episode: E1, number: 1 }] })
      .and(reworked(1, 'Again.'), proposed(2));
    expect(after.episode.looked).toBe(1);
    expect(after.when({ type: 'look', episode: E1, number: 2 }).isAccepted().when({ type: 'look', episode: E1, number: 1 }).isAccepted().episode.looked).toBe(2);
  });
});

describe('a verdict', () => {
  const verdicts: Command[] = [{ type: 'reject', episode: E1, reason: '' }, { type: 'rework', episode: E1, words: 'x', editedByPerson: [], madeAgain: null }, toMove(move(1))];

  it.each(verdicts)('is given only about a change that waits ($type)', (verdict) => {
    given(started()).when(verdict).refuses('wrong-state');
    given(...AT_WORK).when(verdict).refuses('wrong-state');
    given(...AT_WORK, asked({ kind: 'failed', words: 'The server is not there.' })).when(verdict).refuses('wrong-state');
    given(...AT_WORK, interrupted()).when(verdict).refuses('wrong-state');
    given(...WAITING, rejected(1)).when(verdict).refuses('wrong-state');
    given(...WAITING, ...moved(move(9))).when(verdict).refuses('wrong-state');
  });

  it.each(verdicts)('is given once: while an accept is under way there is no other ($type)', (verdict) => {
    given(...WAITING, movePrepared(move(9))).when(verdict).refuses('wrong-state');
  });

  it('about an agent that nobody knows is refused', () => {
    given(...WAITING).when({ type: 'reject', episode: UNKNOWN, reason: '' }).refuses('episode-unknown');
    given(...WAITING).when(toMove(move(1, { episode: UNKNOWN }))).refuses('episode-unknown');
  });
});
