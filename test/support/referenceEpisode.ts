import { evolveConversation, EMPTY_CONVERSATION, type Conversation } from '../../src/core/episode/conversation.ts';
import type { Message, ToolCall } from '../../src/core/episode/model.ts';
import { nextStep } from '../../src/core/episode/nextStep.ts';
import type { TranscriptEntry } from '../../src/core/episode/transcript.ts';
import { firstMessages, type FirstMessagesInput } from '../../src/core/prompt/firstMessages.ts';
import { call, called, circumstances, compacted, finish, finished, hostSaid, passedOn, reply, result } from './conversations.ts';
import { Seeded } from './seeded.ts';

interface Course {
  readonly turns: number;
  readonly seed: number;
  readonly compactAt?: number;
  /** The turn before which the person sends a message, and the one whose reply calls nothing. */
  readonly messageAt?: number;
  readonly idleAt?: number;
}

/** The messages of every request of an episode that looks, edits and runs tests, with answers as long as such work has them. */
export function requestsOf(input: FirstMessagesInput, { turns, seed, compactAt, messageAt, idleAt }: Course): (readonly Message[])[] {
  const chance = new Seeded(seed);
  const requests: (readonly Message[])[] = [];
  let conversation: Conversation = EMPTY_CONVERSATION;
  const append = (...entries: readonly TranscriptEntry[]): void => { conversation = entries.reduce(evolveConversation, conversation); };
  for (;;) {
    const turn = requests.length + 1;
    const messages = messageAt !== undefined && turn >= messageAt ? [{ number: 1, words: 'Leave the public names as they are.' }] : [];
    const step = nextStep(conversation, circumstances(conversation, { messages, ...(compactAt === undefined ? {} : { compactAt }) }));
    switch (step.do) {
      case 'say first messages': append(...firstMessages(input).map((message): TranscriptEntry => ({ type: 'said', at: 0, by: 'host', message }))); break;
      case 'say': append(hostSaid(step.text, step.warning, step.asksFor)); break;
      case 'pass on': append(passedOn(step.text, step.upTo)); break;
      case 'compact': append(compacted(step.summary ?? '')); break;
      case 'ask model':
        if (requests.length === turns) return requests;
        requests.push(conversation.messages);
        append(conversation.compaction !== null ? reply('What was found and done so far, in words. '.repeat(40)) : turn === idleAt ? reply('I think about it.') : reply(chance.chance(0.5) ? 'I look at the next part.' : '', [turn === turns ? finish('end') : callAt(chance, turn)]));
        break;
      case 'run call': append(called(step.call.id), result(step.call.id, answerTo(chance, step.call))); break;
      case 'answer call': append(result(step.call.id, step.text)); break;
      case 'finish':
        append(finished(step.call.id, 1));
        return requests;
      case 'ask person': case 'hand in': case 'wait': throw new Error(`the reference episode came to "${step.do}"`);
    }
  }
}

const WORDS = ['retry', 'request', 'server', 'limit', 'handler', 'await', 'const', 'return', 'options', 'timeout', 'export', 'function', 'string', 'number'];

function callAt(chance: Seeded, turn: number): ToolCall {
  const id = `call_${String(turn)}`;
  const path = `packages/api/src/${chance.oneOf(WORDS)}/${chance.oneOf(WORDS)}.ts`;
  switch (turn % 8) {
    case 1: return call(id, 'list_files', { folder: path.slice(0, path.lastIndexOf('/')) });
    case 2: return call(id, 'search', { pattern: chance.oneOf(WORDS), glob: '**/*.ts' });
    case 3: case 5: return call(id, 'read_file', { path, from_line: chance.between(1, 200), lines: 25 });
    case 4: case 6: return call(id, 'edit_file', { path, old_text: code(chance, 2), new_text: code(chance, 4) });
    default: return call(id, 'run', { command: `npm test -- ${path}` });
  }
}

function answerTo(chance: Seeded, { name }: ToolCall): string {
  switch (name) {
    case 'list_files': return Array.from({ length: 14 }, () => `packages/api/src/${chance.oneOf(WORDS)}/${chance.oneOf(WORDS)}.ts`).join('\n');
    case 'search': return Array.from({ length: 9 }, () => `packages/api/src/${chance.oneOf(WORDS)}.ts:${String(chance.between(1, 400))}: ${code(chance, 1)}`).join('\n');
    case 'read_file': return code(chance, 25).split('\n').map((line, i) => `${String(i + 1)}\t${line}`).join('\n');
    case 'edit_file': return 'packages/api/src/retry.ts: Replaced; the new text begins at line 12.';
    default: return `exit code ${String(chance.between(0, 1))}, 4.2 s\n${code(chance, 16)}`;
  }
}

function code(chance: Seeded, lines: number): string {
  return Array.from({ length: lines }, () => `  ${Array.from({ length: 5 }, () => chance.oneOf(WORDS)).join(' ')};`).join('\n');
}
