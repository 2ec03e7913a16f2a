import { describe, expect, it } from 'vitest';
import { evolveConversation, EMPTY_CONVERSATION, type Conversation } from '../../../src/core/episode/conversation.ts';
import type { Message, ReplyEnd, ToolCall } from '../../../src/core/episode/model.ts';
import { nextStep, type Step } from '../../../src/core/episode/nextStep.ts';
import { MOST_NUDGES } from '../../../src/core/prompt/hostMessages.ts';
import type { TranscriptEntry } from '../../../src/core/episode/transcript.ts';
import { call, called, finish, finished, hostSaid, MOST_TURNS, OPENING, reply, result, reviewed, said, transcript, unanswered } from '../../support/conversations.ts';
import { Seeded } from '../../support/seeded.ts';

/** What a model, the tools, a person and crashes made of one episode. */
interface Story {
  readonly entries: TranscriptEntry[];
  /** The messages of every request, as they were sent. */
  readonly sent: (readonly Message[])[];
  /** Ids of the calls that were run, each as often as it was. */
  readonly run: string[];
  readonly steps: Step['do'][];
}

const SEEDS = Array.from({ length: 200 }, (_, i) => i + 1);

function tell(seed: number): Story {
  const chance = new Seeded(seed);
  // One model in four does the same again and again.
  const dull = seed % 4 === 0;
  const story: Story = { entries: [], sent: [], run: [], steps: [] };
  let conversation: Conversation = EMPTY_CONVERSATION;
  const append = (...entries: readonly TranscriptEntry[]): void => {
    story.entries.push(...entries);
    conversation = entries.reduce(evolveConversation, conversation);
  };
  for (let turn = 0; turn < 150; turn++) {
    if (story.entries.length > 0 && chance.chance(0.04)) append(said('The person says: go on.'));
    // Every now and then the window dies: all that is left is the file.
    if (chance.chance(0.1)) conversation = transcript(...story.entries);
    const step = nextStep(conversation, MOST_TURNS);
    story.steps.push(step.do);
    switch (step.do) {
      case 'say first messages': append(...(chance.chance(0.2) ? OPENING.slice(0, 1) : OPENING)); break;
      case 'say': append(hostSaid(step.text, step.warning)); break;
      case 'ask model':
        story.sent.push(conversation.messages);
        append(dull && chance.chance(0.9) ? reply('', [call(`c${String(turn)}`)]) : anyReply(chance, turn));
        break;
      case 'run call':
        story.run.push(step.call.id);
        append(called(step.call.id));
        // A crash here leaves a call whose effect nobody knows.
        if (!chance.chance(0.05)) append(result(step.call.id, dull ? 'failed' : chance.oneOf(['ok', 'failed', `line ${String(turn)}`]), chance.chance(0.2) ? 'src/a.ts' : null));
        break;
      case 'answer call': append(result(step.call.id, step.text)); break;
      case 'finish': append(chance.chance(0.5) ? reviewed(step.call.id) : finished(step.call.id, turn)); break;
      case 'ask person': case 'wait': case 'hand in': append(said('The person says: again.')); break;
    }
  }
  return story;
}

function anyReply(chance: Seeded, turn: number): TranscriptEntry {
  const calls: ToolCall[] = Array.from({ length: chance.oneOf([0, 1, 1, 1, 2, 3]) }, (_, i) => chance.chance(0.15) ? finish(`f${String(turn)}.${String(i)}`) : call(`c${String(turn)}.${String(i)}`, chance.oneOf(['run', 'read_file']), { n: chance.between(1, 2) }));
  const end: ReplyEnd = chance.chance(0.8) ? 'complete' : chance.oneOf(['cut', 'length', 'filtered']);
  return reply(chance.oneOf(['', 'I go on.']), calls, end);
}

describe('whatever model, person and crashes do', () => {
  const stories = SEEDS.map((seed) => [seed, tell(seed)] as const);

  it('every request is one that a provider takes: each call answered once, before anything else', () => {
    for (const [seed, { sent }] of stories) for (const messages of sent) expect(unanswered(messages), `seed ${String(seed)}`).toEqual([]);
  });

  it('each request begins with the one before it', () => {
    for (const [seed, { sent }] of stories) {
      for (const [i, messages] of sent.entries()) {
        const before = sent[i - 1] ?? [];
        expect(messages.slice(0, before.length), `seed ${String(seed)}`).toEqual(before);
      }
    }
  });

  it('no call is run twice, and none of a cut reply at all', () => {
    for (const [seed, { entries, run }] of stories) {
      expect(new Set(run).size, `seed ${String(seed)}`).toBe(run.length);
      const cut = entries.flatMap((e) => e.type === 'replied' && e.end !== 'complete' && e.message.role === 'assistant' ? e.message.calls.map((c) => String(c.id)) : []);
      expect(run.filter((id) => cut.includes(id)), `seed ${String(seed)}`).toEqual([]);
    }
  });

  it('no more than three nudges follow one another', () => {
    for (const [seed, { entries }] of stories) {
      let nudges = 0;
      for (const entry of entries) {
        if (entry.type === 'said' && entry.by === 'person') nudges = 0;
        else if (entry.type === 'said' && entry.warning === undefined && !OPENING.includes(entry)) nudges += 1;
        else if (entry.type === 'result') nudges = 0;
        expect(nudges, `seed ${String(seed)}`).toBeLessThanOrEqual(MOST_NUDGES);
      }
    }
  });

  it('the file alone says what comes next', () => {
    for (const [, { entries }] of stories) {
      for (let n = 0; n <= entries.length; n += 7) expect(nextStep(transcript(...entries.slice(0, n)), MOST_TURNS)).toEqual(nextStep(entries.slice(0, n).reduce(evolveConversation, EMPTY_CONVERSATION), MOST_TURNS));
    }
  });

  it('every kind of step was met: else this would prove little', () => {
    const met = new Map<Step['do'], number>();
    for (const step of stories.flatMap(([, s]) => s.steps)) met.set(step, (met.get(step) ?? 0) + 1);
    expect([...met.keys()].sort()).toEqual(['answer call', 'ask model', 'ask person', 'finish', 'hand in', 'run call', 'say', 'say first messages', 'wait']);
    expect([...met.values()].every((n) => n >= 10)).toBe(true);
  });
});
