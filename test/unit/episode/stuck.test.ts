import { describe, expect, it } from 'vitest';
import { STUCK_AFTER } from '../../../src/core/episode/stuck.ts';
import type { TranscriptEntry } from '../../../src/core/episode/transcript.ts';
import { call, called, next, OPENING, reply, result, said } from '../../support/conversations.ts';

/** So many turns of one call each; `args` and `answer` say what differs from turn to turn. */
function turns(times: number, args: (n: number) => unknown, answer: (n: number) => string, name = 'run'): TranscriptEntry[] {
  return Array.from({ length: times }, (_, i) => [reply('', [call(`${name}${String(i)}`, name, args(i))]), called(`${name}${String(i)}`), result(`${name}${String(i)}`, answer(i))]).flat();
}
const same = () => ({ command: 'npm test' });

describe('F10: the same call with the same result', () => {
  it('is let be four times', () => {
    expect(next(...OPENING, ...turns(STUCK_AFTER - 1, same, () => 'failed'))).toEqual({ do: 'ask model' });
  });

  it('the fifth time offers the person a word', () => {
    expect(next(...OPENING, ...turns(5, same, () => 'failed'))).toEqual({ do: 'ask person', question: { kind: 'stuck', call: 'run {"command":"npm test"}', times: 5 } });
  });

  it('is the same however long it took', () => {
    let n = 0;
    expect(next(...OPENING, ...turns(5, same, () => `exit code 1, ${String(++n)}.3 s\n 3 failed in ${String(n * 7)}ms at 12:00:0${String(n)}`))).toMatchObject({ do: 'ask person', question: { times: 5 } });
  });

  it('goes on after the person’s word, and is asked about again if that did not help', () => {
    const helped = [...OPENING, ...turns(5, same, () => 'failed'), said('Try npm run unit.')];
    expect(next(...helped)).toEqual({ do: 'ask model' });
    expect(next(...helped, reply('', [call('z')]), called('z'), result('z', 'failed'))).toMatchObject({ do: 'ask person', question: { times: 6 } });
    expect(next(...helped, reply('', [call('z', 'run', { command: 'npm run unit' })]), called('z'), result('z', 'failed'))).toEqual({ do: 'ask model' });
  });

  it('is noticed within one reply too', () => {
    const calls = Array.from({ length: 5 }, (_, i) => call(`c${String(i)}`));
    expect(next(...OPENING, reply('', calls), ...calls.map((c) => result(c.id, 'failed')))).toMatchObject({ do: 'ask person' });
  });

  it('is noticed for calls that were refused, not only for those that ran', () => {
    expect(next(...OPENING, ...turns(5, () => '{"command":', () => 'The arguments are no JSON.'))).toMatchObject({ do: 'ask person' });
  });

  it('is shown cut when it is long', () => {
    const step = next(...OPENING, ...turns(5, () => ({ content: 'x'.repeat(5000) }), () => 'no', 'write_file'));
    expect(step.do === 'ask person' && step.question.kind === 'stuck' && step.question.call.length).toBe(300);
  });
});

describe('F10: what is no standstill', () => {
  it('many calls of one tool with different arguments', () => {
    expect(next(...OPENING, ...turns(40, (n) => ({ path: `src/${String(n)}.ts` }), () => 'ok', 'read_file'))).toEqual({ do: 'ask model' });
  });

  it('the same call whose result changes', () => {
    expect(next(...OPENING, ...turns(40, same, (n) => `${String(40 - n)} failing`))).toEqual({ do: 'ask model' });
  });

  it('two calls in turn: an edit and its test', () => {
    const round = Array.from({ length: 20 }, (_, i) => [reply('', [call(`e${String(i)}`, 'edit_file', { n: 1 })]), result(`e${String(i)}`, 'ok'), reply('', [call(`t${String(i)}`)]), result(`t${String(i)}`, 'failed')]).flat();
    expect(next(...OPENING, ...round)).toEqual({ do: 'ask model' });
  });

  it('a call that another one came between', () => {
    expect(next(...OPENING, ...turns(4, same, () => 'failed'), reply('', [call('x', 'read_file', {})]), result('x', 'y'), reply('', [call('z')]), result('z', 'failed'))).toEqual({ do: 'ask model' });
  });
});
