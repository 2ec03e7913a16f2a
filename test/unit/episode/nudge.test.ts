import { describe, expect, it } from 'vitest';
import type { ReplyEnd } from '../../../src/core/episode/model.ts';
import { isNudge, NUDGES, nudgeText } from '../../../src/core/episode/nudge.ts';
import type { TranscriptEntry } from '../../../src/core/episode/transcript.ts';
import { call, next, OPENING, reply, result, said, transcript } from '../../support/conversations.ts';

/** The loop goes on for so many replies that call nothing; gives the transcript before the next step. */
function idle(times: number, end: ReplyEnd = 'complete', before: readonly TranscriptEntry[] = OPENING): TranscriptEntry[] {
  const entries = [...before];
  for (let n = 1; n <= times; n++) {
    entries.push(reply('I am thinking.', [], end));
    const step = next(...entries);
    if (step.do === 'say' && n < times) entries.push(said(step.text));
  }
  return entries;
}

describe('a reply without a call', () => {
  it('is nudged three times, the last time with a warning', () => {
    expect(NUDGES).toBe(3);
    const steps = [1, 2, 3].map((n) => next(...idle(n)));
    expect(steps.map((s) => s.do)).toEqual(['say', 'say', 'say']);
    expect(steps.map((s) => s.do === 'say' && /last reminder/.test(s.text))).toEqual([false, false, true]);
  });

  it.each<ReplyEnd>(['complete', 'cut', 'length', 'filtered'])('the fourth time ends the work, which is handed in as it is (%s)', (end) => {
    const step = next(...idle(4, end));
    expect(step).toMatchObject({ do: 'hand in', otherwise: 'failed' });
    expect(step.do === 'hand in' && step.why).toContain('4 times');
  });

  it('in between is forgiven by one that calls a tool', () => {
    const recovered = [...idle(3), said(nudgeText('no call', 0)), reply('', [call('a')]), result('a', 'x')];
    expect(next(...idle(3, 'complete', recovered))).toMatchObject({ do: 'say' });
    expect(next(...idle(4, 'complete', recovered))).toMatchObject({ do: 'hand in' });
  });

  it('counts cut and callless replies together: a model that only stumbles does not go on for ever', () => {
    const entries = [...OPENING, reply('', [call('a')], 'cut'), said(nudgeText('cut', 2)), reply('hm'), said(nudgeText('no call', 1)), reply('', [call('b')], 'length'), said(nudgeText('too long', 0)), reply('hm')];
    expect(next(...entries)).toMatchObject({ do: 'hand in' });
  });

  it('after the person’s words begins anew: a rework is not ended by its first reply without a call', () => {
    const reworked = [...idle(4), said('The person says: go on.')];
    expect(next(...reworked)).toEqual({ do: 'ask model' });
    expect(next(...idle(1, 'complete', reworked))).toMatchObject({ do: 'say' });
    expect(next(...idle(4, 'complete', reworked))).toMatchObject({ do: 'hand in' });
  });

  it('is counted the same after a restart', () => {
    expect(transcript(...idle(3)).idle).toBe(3);
  });
});

describe('a nudge', () => {
  it.each(['no call', 'cut', 'too long', 'filtered'] as const)('says what happened and what to do, and is known as one again (%s)', (cause) => {
    for (let left = 0; left < NUDGES; left++) expect(isNudge(nudgeText(cause, left))).toBe(true);
    expect(nudgeText(cause, 1)).toMatch(/^(Your reply|The provider).*(Call|Send|Go on)/);
  });

  it('is not what a person writes', () => {
    expect(isNudge('Your reply had no tool call.')).toBe(false);
  });
});
