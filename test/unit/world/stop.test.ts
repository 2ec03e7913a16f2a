import { describe, expect, it } from 'vitest';
import type { LedgerEvent } from '../../../src/core/ledger/events.ts';
import { asked, AT_WORK, candidate, E1, ended, interrupted, move, movePrepared, proposed, requested, started, UNKNOWN, usageOf, WAITING, RECORDED } from '../../support/facts.ts';
import { given, minutes } from '../../support/given.ts';

const STOP = { type: 'stop', episode: E1 } as const;
const HALT = { do: 'halt', episode: E1 } as const;
const HAND_IN = { do: 'hand in', episode: E1, why: 'Stopped by the person before the agent had finished.', otherwise: 'cancelled' } as const;

describe('stopping an agent', () => {
  it.each<readonly [string, readonly LedgerEvent[]]>([['at work', AT_WORK], ['asking', [...AT_WORK, asked({ kind: 'failed', words: 'x' })]]])('that is %s aborts what is in flight and takes what the worktree holds', (_words, past) => {
    given(...past).when(STOP).then({ events: [interrupted()], effects: [HALT, HAND_IN] });
  });

  it('that was interrupted takes what the worktree holds', () => {
    given(...AT_WORK, interrupted()).when(STOP).then({ events: [], effects: [HALT, HAND_IN] });
  });

  it('that has no worktree yet ends it', () => {
    given(started()).when(STOP).then({ events: [ended('cancelled', 'Stopped before it had begun.')], effects: [HALT, { do: 'close', episode: E1 }] });
    given(started(), asked({ kind: 'failed', words: 'No space left.' })).when(STOP).isAccepted();
  });

  it('lets nothing more be sent or asked, from the word on', () => {
    const stopped = given(...AT_WORK).when(STOP).isAccepted();
    stopped.when({ type: 'request model', episode: E1, at: stopped.now, estimate: usageOf({ fresh: 1 }), usd: 0 }).refuses('wrong-state');
    stopped.when({ type: 'ask', episode: E1, question: { kind: 'run', command: 'npm test', prefix: null, purpose: 'agent' } }).refuses('wrong-state');
  });

  it('stays stopped when the window dies before the work was handed in', () => {
    const stopped = given(...AT_WORK).when(STOP).isAccepted();
    stopped.when({ type: 'recover', at: stopped.now + 1000 }).then({ events: [] });
  });

  it('says so when the work could not be handed in', () => {
    const stopped = given(...AT_WORK).when(STOP).isAccepted();
    const question = { kind: 'failed', words: 'No space left on the disk.' } as const;
    stopped.when({ type: 'ask', episode: E1, question }).then({ events: [asked(question)] });
  });

  it('twice hands in once', () => {
    const once = given(...AT_WORK).when(STOP).isAccepted().when(STOP).isAccepted().when({ type: 'propose', episode: E1, candidate: candidate(1), replaces: null }).isAccepted();
    once.when({ type: 'propose', episode: E1, candidate: candidate(2), replaces: null }).refuses('wrong-state');
    once.when({ type: 'end', episode: E1, outcome: 'cancelled', words: '' }).refuses('wrong-state');
  });

  it.each<readonly [string, readonly LedgerEvent[]]>([['waits for a verdict', WAITING], ['is being accepted', [...WAITING, movePrepared(move(1))]], ['has ended', [...AT_WORK, ended('no change')]]])('that %s is refused: nothing of it runs', (_words, past) => {
    given(...past).when(STOP).refuses('wrong-state');
  });

  it('that nobody knows is refused', () => {
    given(...AT_WORK).when({ type: 'stop', episode: UNKNOWN }).refuses('episode-unknown');
  });
});

describe('the end of an agent', () => {
  it('without a change is told and closes it', () => {
    const after = given(...AT_WORK).when({ type: 'end', episode: E1, outcome: 'no change', words: 'Nothing to do.' }).then({ events: [ended('no change', 'Nothing to do.')], effects: [{ do: 'close', episode: E1 }] });
    expect(after.episode.phase).toMatchObject({ name: 'ended', outcome: 'no change', candidate: null });
  });

  it('after a rework that came to nothing still names the change that was made before', () => {
    const after = given(...WAITING, { type: 'verdict.reworked', episode: E1, number: 1, words: 'Leave it.', editedByPerson: [] }, ended('no change'));
    expect(after.episode.phase).toMatchObject({ name: 'ended', candidate: 1 });
  });

  it('counts a request that nobody waits for any more as it was reserved', () => {
    const reserved = { fresh: 1000, output: 500 };
    const lost = { type: 'model.failed', episode: E1, request: 1, words: 'The agent ended while this request was in flight.', usage: usageOf(reserved), usd: 0.5, estimated: true } as const;
    const after = given(...AT_WORK, requested(1, reserved, 0.5), minutes(1)).when({ type: 'end', episode: E1, outcome: 'failed', words: '' }).then({ events: [lost, ended('failed')], effects: [{ do: 'close', episode: E1 }] });
    expect(after.episode.spent).toMatchObject({ usd: 0.5, estimated: true, inFlight: new Map() });
    given(...AT_WORK, requested(1, reserved, 0.5)).when({ type: 'propose', episode: E1, candidate: candidate(1), replaces: null }).then({ events: [lost, proposed(1)], effects: RECORDED });
  });
});
