import { describe, expect, it } from 'vitest';
import { personSays } from '../../../src/core/prompt/hostMessages.ts';
import { call, called, finish, nextIn, OPENING, passedOn, reply, result, transcript } from '../../support/conversations.ts';

const sent = [{ number: 1, words: 'Cap it at five.\n' }, { number: 2, words: 'And log it.' }];
const working = [...OPENING, reply('', [call('a'), call('b')])];

describe('G6: what the person sends to an agent at work', () => {
  it('waits for the calls of the newest reply, which are not cut off', () => {
    expect(nextIn({ messages: sent }, ...working)).toMatchObject({ do: 'run call' });
    expect(nextIn({ messages: sent }, ...working, called('a'), result('a', 'x'))).toMatchObject({ do: 'run call', call: { id: 'b' } });
  });

  it('then is passed on before the model is asked again, all of it in one go', () => {
    expect(nextIn({ messages: sent }, ...working, result('a', 'x'), result('b', 'y'))).toEqual({ do: 'pass on', text: personSays('Cap it at five.\n\nAnd log it.'), upTo: 2 });
  });

  it('is neither doubled nor dropped by a crash: the transcript says up to where it was told', () => {
    const told = [...working, result('a', 'x'), result('b', 'y'), passedOn('The person says:\nCap it at five.', 1)];
    expect(nextIn({ messages: sent.slice(0, 1) }, ...told)).toEqual({ do: 'ask model' });
    expect(nextIn({ messages: sent }, ...told)).toEqual({ do: 'pass on', text: personSays('And log it.'), upTo: 2 });
  });

  it('comes before the end: a finish that the model called without having read it does not stand', () => {
    const finishing = [...OPENING, reply('', [finish('f')])];
    expect(nextIn({ messages: sent }, ...finishing)).toMatchObject({ do: 'answer call', call: { id: 'f' } });
    expect(nextIn({ messages: sent }, ...finishing, result('f', 'Not finished.'))).toMatchObject({ do: 'pass on' });
    expect(nextIn({ messages: sent }, ...finishing, result('f', 'Not finished.'), passedOn('x', 2), reply('', [finish('g')]))).toMatchObject({ do: 'finish' });
  });

  it('sent before it began comes after the goal', () => {
    expect(nextIn({ messages: sent })).toEqual({ do: 'say first messages' });
    expect(nextIn({ messages: sent }, ...OPENING)).toMatchObject({ do: 'pass on', upTo: 2 });
  });

  it('gives a model that does the same over and over another turn, before the person is asked about it', () => {
    const same = Array.from({ length: 5 }, (_, i) => [reply('', [call(`c${String(i)}`)]), result(`c${String(i)}`, 'failed')]).flat();
    expect(nextIn({}, ...OPENING, ...same)).toMatchObject({ do: 'ask person' });
    expect(nextIn({ messages: sent }, ...OPENING, ...same)).toMatchObject({ do: 'pass on' });
    expect(nextIn({ messages: sent }, ...OPENING, ...same, passedOn('x', 2))).toEqual({ do: 'ask model' });
  });

  it('starts the reminders anew, like any word of theirs', () => {
    expect(transcript(...OPENING, reply('Hm.'), passedOn('x', 1)).idle).toBe(0);
  });
});
