import { describe, expect, it } from 'vitest';
import { asked, AT_WORK, cancelling, E1, ended, interrupted, messaged, prepared, proposed, reworked, started, SURVEY, UNKNOWN, WAITING } from '../../support/facts.ts';
import { given, minutes, type Past } from '../../support/given.ts';

const say = (words: string, episode = E1) => ({ type: 'message', episode, words }) as const;
const letFinish = { type: 'cancel', episode: E1 } as const;

describe('a message to an agent', () => {
  const notDone: readonly (readonly [string, readonly Past[]])[] = [
    ['prepares its worktree', [started()]], ['is at work', AT_WORK], ['asks something', [...AT_WORK, asked({ kind: 'stuck', call: 'run {}', times: 5 })]], ['was interrupted', [...AT_WORK, interrupted()]],
  ];

  it.each(notDone)('that %s is kept until its model is told, and cuts nothing off (G6)', (_words, past) => {
    const after = given(...past).when(say('Cap it at five.')).then({ events: [messaged(1, 'Cap it at five.')] });
    expect(after.episode.messages).toEqual([{ number: 1, words: 'Cap it at five.' }]);
    expect(after.episode.phase).toEqual(given(...past).episode.phase);
  });

  it('has the next number, also after a verdict', () => {
    given(...AT_WORK, messaged(1, 'One.'), messaged(2, 'Two.'), proposed(1), reworked(1, 'More.')).when(say('Three.')).then({ events: [messaged(3, 'Three.')] });
  });

  it('costs no time: an agent that is asked is not at work because somebody writes to it', () => {
    const asking = given(...AT_WORK, minutes(1), asked({ kind: 'stuck', call: 'run {}', times: 5 }), minutes(30));
    const after = asking.and(messaged(1, 'Try the other.'));
    expect(after.episode.spent.wallMs).toBe(asking.episode.spent.wallMs);
  });

  it('is refused where it would be read by nobody: a change that waits, an end, a survey, nothing said', () => {
    given(...WAITING).when(say('Cap it.')).refuses('wrong-state');
    given(...AT_WORK, ended('no change')).when(say('Cap it.')).refuses('wrong-state');
    given(started({ model: SURVEY }), prepared()).when(say('Cap it.')).refuses('wrong-state');
    given(...AT_WORK).when(say(' \n')).refuses('wrong-state');
    given(...AT_WORK).when(say('Cap it.', UNKNOWN)).refuses('episode-unknown');
  });
});

describe('letting an agent finish up', () => {
  it('is a fact that its loop reads: nothing is halted', () => {
    const after = given(...AT_WORK).when(letFinish).then({ events: [cancelling] });
    expect(after.episode).toMatchObject({ cancelling: true, phase: { name: 'running' } });
  });

  it('asked twice is asked once', () => {
    given(...AT_WORK, cancelling).when(letFinish).then({ events: [] });
  });

  it('ends one that has not begun', () => {
    given(started()).when(letFinish).then({ events: [ended('cancelled', 'Stopped before it had begun.')], effects: [{ do: 'halt', episode: E1 }, { do: 'close', episode: E1 }] });
  });

  it('is over with the change: sent back it works like any other', () => {
    expect(given(...AT_WORK, cancelling, proposed(1), reworked(1, 'Go on.')).episode).toMatchObject({ cancelling: false, phase: { name: 'running' } });
    expect(given(...AT_WORK, cancelling, ended('cancelled')).episode.cancelling).toBe(false);
  });

  it('leaves the way to stop it at once, and still holds after a crash', () => {
    given(...AT_WORK, cancelling).when({ type: 'stop', episode: E1 }).isAccepted();
    const cut = given(...AT_WORK, cancelling);
    expect(cut.when({ type: 'recover', at: cut.now }).isAccepted().episode.cancelling).toBe(true);
  });

  it('is refused where nothing runs that could come to an end', () => {
    given(...AT_WORK, asked({ kind: 'stuck', call: 'run {}', times: 5 })).when(letFinish).refuses('wrong-state');
    given(...WAITING).when(letFinish).refuses('wrong-state');
  });
});
