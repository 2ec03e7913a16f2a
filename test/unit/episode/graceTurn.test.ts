import { describe, expect, it } from 'vitest';
import { FINISHING_UP, LAST_TURN } from '../../../src/core/prompt/hostMessages.ts';
import type { TranscriptEntry } from '../../../src/core/episode/transcript.ts';
import { call, finish, hostSaid, nextIn, OPENING, passedOn, reply, result, reviewed, said } from '../../support/conversations.ts';

const worked: readonly TranscriptEntry[] = [...OPENING, reply('', [call('a')])];
const free: readonly TranscriptEntry[] = [...worked, result('a', 'x')];
const told = [...free, hostSaid(FINISHING_UP, undefined, 'finishing up')];
const HANDED_IN = { do: 'hand in', why: 'Ended early, by the person’s word.', otherwise: 'cancelled' };

describe('an agent that the person lets come to an end', () => {
  it('is told once no call is open', () => {
    expect(nextIn({ cancelling: true }, ...worked)).toMatchObject({ do: 'run call' });
    expect(nextIn({ cancelling: true }, ...free)).toEqual({ do: 'say', text: FINISHING_UP, asksFor: 'finishing up' });
    expect(FINISHING_UP).toMatch(/last turn.*call finish/);
  });

  it('has one more turn', () => {
    expect(nextIn({ cancelling: true }, ...told)).toEqual({ do: 'ask model' });
    expect(nextIn({ cancelling: true }, ...told, reply('', [finish('f')]))).toMatchObject({ do: 'finish' });
  });

  it.each<[string, readonly TranscriptEntry[]]>([
    ['says something', [reply('I need more time.')]], ['goes on working', [reply('', [call('b')]), result('b', 'x')]], ['is cut off', [reply('', [call('b')], 'cut')]],
    ['finishes with what may not go in unseen', [reply('', [finish('f')]), reviewed('f')]],
  ])('and then what there is is handed in, if it %s', (_words, turn) => {
    expect(nextIn({ cancelling: true }, ...told, ...turn)).toEqual(HANDED_IN);
  });

  it('has its last turn again after a word of the person, and when it is ended once more after a rework', () => {
    expect(nextIn({ cancelling: true, messages: [{ number: 1, words: 'Keep the tests.' }] }, ...told, reply('Hm.'))).toMatchObject({ do: 'pass on' });
    expect(nextIn({ cancelling: true }, ...told, reply('Hm.'), passedOn('Keep the tests.', 1))).toMatchObject({ do: 'say', asksFor: 'finishing up' });
    expect(nextIn({ cancelling: true }, ...told, reply('Hm.'), said('Go on.'), reply('', [call('z')]), result('z', 'x'))).toMatchObject({ do: 'say', asksFor: 'finishing up' });
  });

  it('does not stand still over a call that it repeats', () => {
    const same = Array.from({ length: 5 }, (_, i) => [reply('', [call(`c${String(i)}`)]), result(`c${String(i)}`, 'failed')]).flat();
    expect(nextIn({ cancelling: true }, ...OPENING, ...same)).toMatchObject({ do: 'say' });
  });
});

describe('an agent whose turns have run out', () => {
  const turns = (n: number): TranscriptEntry[] => [...OPENING, ...Array.from({ length: n }, (_, i) => [reply('', [call(`c${String(i)}`, 'read_file', { i })]), result(`c${String(i)}`, 'x')]).flat()];
  const last = hostSaid(LAST_TURN, undefined, 'last turn');

  it('is told that one more is its last', () => {
    expect(nextIn({ most: 6 }, ...turns(6))).toEqual({ do: 'say', text: LAST_TURN, asksFor: 'last turn' });
    expect(nextIn({ most: 6 }, ...turns(6), last)).toEqual({ do: 'ask model' });
    expect(nextIn({ most: 6 }, ...turns(6), last, reply('', [finish('f')]))).toMatchObject({ do: 'finish' });
  });

  it('asks for more turns by its next request after that, and is told anew where those run out', () => {
    const more = [...turns(6), last, reply('', [call('z')]), result('z', 'x')];
    expect(nextIn({ most: 6 }, ...more)).toEqual({ do: 'ask model' });
    expect(nextIn({ most: 12 }, ...more)).toEqual({ do: 'ask model' });
    expect(nextIn({ most: 7 }, ...more)).toMatchObject({ do: 'say', asksFor: 'last turn' });
  });

  it('is handed in at once where the person ends it after its last turn', () => {
    expect(nextIn({ most: 6, cancelling: true }, ...turns(7))).toEqual(HANDED_IN);
  });
});
