import { describe, expect, it } from 'vitest';
import type { ReplyEnd } from '../../../src/core/episode/model.ts';
import { CUT_REPLY, MOST_NUDGES, nudge } from '../../../src/core/prompt/hostMessages.ts';
import type { TranscriptEntry } from '../../../src/core/episode/transcript.ts';
import { call, hostSaid, next, OPENING, reply, result, said, transcript } from '../../support/conversations.ts';

/** The loop goes on for so many replies that call nothing; gives the transcript before the next step. */
function idle(times: number, end: ReplyEnd = 'complete', before: readonly TranscriptEntry[] = OPENING): TranscriptEntry[] {
  const entries = [...before];
  for (let n = 1; n <= times; n++) {
    entries.push(reply('I am thinking.', [], end));
    const step = next(...entries);
    if (step.do === 'say' && n < times) entries.push(hostSaid(step.text));
  }
  return entries;
}

describe('a reply without a call', () => {
  it('is nudged three times, the last time with a warning', () => {
    expect(MOST_NUDGES).toBe(3);
    expect([1, 2, 3].map((n) => next(...idle(n)))).toEqual([1, 2, 3].map((n) => ({ do: 'say', text: nudge(n) })));
    expect([1, 2, 3].map((n) => nudge(n).includes('last reminder'))).toEqual([false, false, true]);
  });

  it.each<ReplyEnd>(['complete', 'cut', 'length', 'filtered'])('the fourth time ends the work, which is handed in as it is (%s)', (end) => {
    expect(next(...idle(3, end))).toMatchObject({ do: 'say' });
    const step = next(...idle(4, end));
    expect(step).toMatchObject({ do: 'hand in', otherwise: 'failed' });
    expect(step.do === 'hand in' && step.why).toContain('4 times');
  });

  it('in between is forgiven by one that calls a tool', () => {
    const recovered = [...idle(3), hostSaid(nudge(3)), reply('', [call('a')]), result('a', 'x')];
    expect(next(...idle(3, 'complete', recovered))).toMatchObject({ do: 'say' });
    expect(next(...idle(4, 'complete', recovered))).toMatchObject({ do: 'hand in' });
  });

  it('counts cut and callless replies together: a model that only stumbles does not go on for ever', () => {
    const entries = [...OPENING, reply('', [call('a')], 'cut'), hostSaid(CUT_REPLY), reply('hm'), hostSaid(nudge(2)), reply('', [call('b')], 'length'), hostSaid(CUT_REPLY), reply('hm')];
    expect(next(...entries)).toMatchObject({ do: 'hand in' });
  });

  it('after the person’s words begins anew: a rework is not ended by its first reply without a call', () => {
    const reworked = [...idle(4), said('The person says: go on.')];
    expect(next(...reworked)).toEqual({ do: 'ask model' });
    expect(next(...idle(1, 'complete', reworked))).toMatchObject({ do: 'say' });
    expect(next(...idle(4, 'complete', reworked))).toMatchObject({ do: 'hand in' });
  });

  it('is not forgiven by what the host says', () => {
    expect(next(...idle(3), hostSaid(nudge(3)), hostSaid('10 turns left.', 'end'), reply('hm'))).toMatchObject({ do: 'hand in' });
  });

  it('is counted the same after a restart', () => {
    expect(transcript(...idle(3)).idle).toBe(3);
  });
});
