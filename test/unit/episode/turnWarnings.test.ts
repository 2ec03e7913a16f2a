import { describe, expect, it } from 'vitest';
import type { TranscriptEntry } from '../../../src/core/episode/transcript.ts';
import { nextStep } from '../../../src/core/episode/nextStep.ts';
import { call, circumstances, hostSaid, nextIn, OPENING, reply, result, transcript } from '../../support/conversations.ts';

/** Lives through so many turns of an episode that may take `most`; gives the warnings with the turn after which each came. */
function warnings(turns: number, most: number, text: (n: number) => string = () => ''): (readonly [string, number])[] {
  const entries: TranscriptEntry[] = [...OPENING];
  const given: (readonly [string, number])[] = [];
  for (let n = 1; n <= turns;) {
    const step = nextIn({ most }, ...entries);
    if (step.do === 'say') {
      entries.push(hostSaid(step.text, step.warning));
      if (step.warning !== undefined) given.push([step.warning, n - 1]);
      continue;
    }
    entries.push(reply(text(n), [call(`c${String(n)}`, 'read_file', { n })]), result(`c${String(n)}`, 'x'));
    n += 1;
  }
  return given;
}

describe('turns that run out', () => {
  it('are warned of in time, each warning once, and the middle one again after as many turns', () => {
    expect(warnings(127, 128)).toEqual([['middle', 45], ['middle', 90], ['end', 118], ['critical', 125]]);
  });

  it('are warned of once where most of them were taken in a conversation that is not here', () => {
    const goesOn = transcript(...OPENING);
    const elsewhere = { ...circumstances(goesOn), turns: { used: 60, most: 128 } };
    const step = nextStep(goesOn, elsewhere);
    expect(step).toMatchObject({ do: 'say', warning: 'middle' });
    const told = transcript(...OPENING, hostSaid(step.do === 'say' ? step.text : '', 'middle'));
    expect(nextStep(told, elsewhere)).toEqual({ do: 'ask model' });
  });

  it('are warned of also where there are few of them', () => {
    expect(warnings(6, 6)).toEqual([['end', 3], ['critical', 5]]);
  });

  it('count those that another clone’s record told of, whose conversation is not here', () => {
    const conversation = transcript(...OPENING);
    expect(nextStep(conversation, { ...circumstances(conversation), turns: { used: 118, most: 128 } })).toMatchObject({ do: 'say', warning: 'end' });
  });

  it('are not warned of between a call and its result, nor instead of a nudge', () => {
    const nearEnd = [...OPENING, ...Array.from({ length: 5 }, (_, i) => [reply('', [call(`c${String(i)}`, 'read_file', { i })]), result(`c${String(i)}`, 'x')]).flat()];
    expect(nextIn({ most: 7 }, ...nearEnd, reply('', [call('z')]))).toMatchObject({ do: 'run call' });
    const idle = nextIn({ most: 7 }, ...nearEnd, reply('hm'));
    expect(idle).toMatchObject({ do: 'say' });
    expect(idle.do === 'say' && idle.warning).toBeUndefined();
    expect(nextIn({ most: 7 }, ...nearEnd, reply('hm'), hostSaid('Call a tool.'))).toMatchObject({ do: 'say', warning: 'critical' });
  });
});
