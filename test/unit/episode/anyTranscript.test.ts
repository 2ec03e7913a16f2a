import { describe, expect, it } from 'vitest';
import { evolveConversation, EMPTY_CONVERSATION, type Conversation } from '../../../src/core/episode/conversation.ts';
import type { Message, ReplyEnd, ToolCall } from '../../../src/core/episode/model.ts';
import { nextStep } from '../../../src/core/episode/nextStep.ts';
import type { Step } from '../../../src/core/episode/step.ts';
import { MOST_NUDGES } from '../../../src/core/prompt/hostMessages.ts';
import type { TranscriptEntry } from '../../../src/core/episode/transcript.ts';
import type { PersonMessage } from '../../../src/core/world/state.ts';
import { call, called, circumstances, compacted, finish, finished, hostSaid, OPENING, overflowed, passedOn, reply, result, reviewed, said, transcript, unanswered } from '../../support/conversations.ts';
import { Seeded } from '../../support/seeded.ts';

/** What a model, the tools, a person and crashes made of one episode. */
interface Story {
  readonly entries: TranscriptEntry[];
  /** The messages of every request, as they were sent. */
  readonly sent: (readonly Message[])[];
  /** Ids of the calls that were run, each as often as it was. */
  readonly run: string[];
  readonly steps: Step['do'][];
  /** Words that the person sent while it worked. */
  readonly messages: PersonMessage[];
}

const SEEDS = Array.from({ length: 200 }, (_, i) => i + 1);

function tell(seed: number): Story {
  const chance = new Seeded(seed);
  // One model in four does the same again and again.
  const dull = seed % 4 === 0;
  const story: Story = { entries: [], sent: [], run: [], steps: [], messages: [] };
  // Some conversations are long for their model.
  const compactAt = seed % 3 === 0 ? 3_500 : 150_000;
  let cancelling = false;
  let conversation: Conversation = EMPTY_CONVERSATION;
  const append = (...entries: readonly TranscriptEntry[]): void => {
    story.entries.push(...entries);
    conversation = entries.reduce(evolveConversation, conversation);
  };
  for (let turn = 0; turn < 150; turn++) {
    if (story.entries.length > 0 && chance.chance(0.04)) append(said('The person says: go on.'));
    // Every now and then the window dies: all that is left is the file.
    if (chance.chance(0.1)) conversation = transcript(...story.entries);
    if (story.entries.length > 2 && chance.chance(0.03)) story.messages.push({ number: story.messages.length + 1, words: `Message ${String(turn)}.` });
    if (chance.chance(0.005)) cancelling = true;
    const step = nextStep(conversation, circumstances(conversation, { messages: story.messages, cancelling, compactAt }));
    story.steps.push(step.do);
    switch (step.do) {
      case 'say first messages': append(...(chance.chance(0.2) ? OPENING.slice(0, 1) : OPENING)); break;
      case 'say': append(hostSaid(step.text, step.warning, step.asksFor)); break;
      case 'pass on': append(passedOn(step.text, step.upTo)); break;
      case 'compact': append(compacted(step.summary ?? 'What the host saw.')); break;
      case 'ask model':
        story.sent.push(conversation.messages);
        if (chance.chance(0.02)) append(overflowed());
        else append(conversation.compaction !== null && chance.chance(0.7) ? reply(SUMMARY) : dull && chance.chance(0.9) ? reply('', [call(`c${String(turn)}`)]) : anyReply(chance, turn));
        break;
      case 'run call':
        story.run.push(step.call.id);
        append(called(step.call.id));
        // A crash here leaves a call whose effect nobody knows.
        if (!chance.chance(0.05)) append(result(step.call.id, dull ? 'failed' : chance.oneOf(['ok', 'failed', `line ${String(turn)}`]), chance.chance(0.2) ? 'src/a.ts' : null));
        break;
      case 'answer call': append(result(step.call.id, step.text)); break;
      case 'finish': append(chance.chance(0.5) ? reviewed(step.call.id) : finished(step.call.id, turn)); break;
      case 'ask person': case 'wait': case 'hand in':
        cancelling = false;
        append(said('The person says: again.'));
        break;
    }
  }
  return story;
}

const SUMMARY = 'The work is half done: the retries are capped in packages/api/retry.ts, and the tests are still to be run.';

/** A window that is shorter than the one before, or whose outputs were cut. */
function isNewWindow(messages: readonly Message[], before: readonly Message[]): boolean {
  return messages.length < before.length || messages.some((m, i) => m.text !== (before[i]?.text ?? m.text));
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

  it('each request begins with the one before it, and with the goal where a summary has taken the place of what followed', () => {
    for (const [seed, { sent }] of stories) {
      for (const [i, messages] of sent.entries()) {
        const before = sent[i - 1] ?? [];
        const kept = isNewWindow(messages, before) ? OPENING.length : before.length;
        expect(messages.slice(0, kept), `seed ${String(seed)}`).toEqual(before.slice(0, kept));
      }
    }
  });

  it('each message of the person is told once, in order, and what they said is still there after a summary', () => {
    for (const [seed, { entries, messages, sent }] of stories) {
      const told = entries.flatMap((e) => (e.type === 'said' && e.upTo !== undefined ? [...e.message.text.matchAll(/Message \d+\./g)].map(([words]) => words) : []));
      expect(told, `seed ${String(seed)}`).toEqual(messages.slice(0, told.length).map((m) => m.words));
      const window = JSON.stringify(sent.at(-1));
      const before = entries.slice(0, entries.findLastIndex((e) => e.type === 'replied' || e.type === 'overflowed'));
      for (const entry of before) if (entry.type === 'said' && entry.upTo !== undefined) expect(window, `seed ${String(seed)}`).toContain(JSON.stringify(entry.message.text).slice(1, -1));
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
        else if (entry.type === 'said' && entry.warning === undefined && entry.asksFor === undefined && !OPENING.includes(entry)) nudges += 1;
        else if (entry.type === 'result') nudges = 0;
        expect(nudges, `seed ${String(seed)}`).toBeLessThanOrEqual(MOST_NUDGES);
      }
    }
  });

  it('the file alone says what comes next', () => {
    for (const [, { entries }] of stories) {
      for (let n = 0; n <= entries.length; n += 7) expect(transcript(...entries.slice(0, n))).toEqual(entries.slice(0, n).reduce(evolveConversation, EMPTY_CONVERSATION));
    }
  });

  it('every kind of step was met: else this would prove little', () => {
    const met = new Map<Step['do'], number>();
    for (const step of stories.flatMap(([, s]) => s.steps)) met.set(step, (met.get(step) ?? 0) + 1);
    expect([...met.keys()].sort()).toEqual(['answer call', 'ask model', 'ask person', 'compact', 'finish', 'hand in', 'pass on', 'run call', 'say', 'say first messages', 'wait']);
    expect([...met.values()].every((n) => n >= 10)).toBe(true);
  });
});
