import type { Message } from '../../core/episode/model.ts';
import type { Exchange, TapeRequest } from './tapeFile.ts';

/** The exchanges with all of their messages, also those that stand with an earlier one. */
export function wholeMessages(exchanges: readonly Exchange[]): readonly TapeRequest[] {
  const byKey = new Map<string, readonly Message[]>();
  return exchanges.map(({ key, model, tools, maxOutputTokens, base, kept, messages }) => {
    const whole = [...(base === null ? [] : (byKey.get(base) ?? []).slice(0, kept)), ...messages];
    byKey.set(key, whole);
    return { key, model, tools, maxOutputTokens, messages: whole };
  });
}

/** Where the nearest recorded request differs from this one, in words. */
export function differenceWords(asked: TapeRequest, recorded: readonly TapeRequest[]): string {
  const near = nearest(recorded, asked.messages);
  if (near === undefined) return 'The tape holds no request at all.';
  const { of, shared } = near;
  const differences = [
    ...(of.model.name === asked.model.name && of.model.kind === asked.model.kind ? [] : [`the model is ${asked.model.name}, there ${of.model.name}`]),
    ...(of.tools === asked.tools ? [] : ['the tools are others']),
    ...(of.maxOutputTokens === asked.maxOutputTokens ? [] : [`the answer may have ${asked.maxOutputTokens} tokens, there ${of.maxOutputTokens}`]),
    ...messageDifference(asked.messages[shared], of.messages[shared], shared + 1),
  ];
  return `The tape does not hold this request. The nearest, its number ${recorded.indexOf(of) + 1}, differs: ${differences.join('; ')}.`;
}

function messageDifference(now: Message | undefined, then: Message | undefined, number: number): readonly string[] {
  if (now === undefined && then === undefined) return [];
  if (now === undefined) return [`it ends before message ${number} there`];
  if (then === undefined) return [`it goes on with message ${number}, ${excerpt(textOf(now), 0)}, where that one ends`];
  const [ours, theirs] = [textOf(now), textOf(then)];
  let same = 0;
  while (same < Math.min(ours.length, theirs.length) && ours[same] === theirs[same]) same += 1;
  return [`message ${number} (${now.role}) has ${excerpt(ours, same)}, there ${excerpt(theirs, same)}`];
}

function textOf(message: Message): string {
  return message.role === 'assistant' ? `${message.text}${message.calls.map((call) => ` ${call.name} ${call.arguments}`).join('')}` : message.text;
}

/** The place where two texts part, with a little of what stands before. */
function excerpt(text: string, at: number): string {
  return JSON.stringify(text.slice(Math.max(0, at - 20), at + 60));
}

/** Of the recorded requests the one that has the most of a conversation's beginning; of several the one that is about as long. */
function nearest(recorded: readonly TapeRequest[], messages: readonly Message[]): { readonly of: TapeRequest; /** Messages from the beginning that are the same. */ readonly shared: number } | undefined {
  const wanted = messages.map((message) => JSON.stringify(message));
  const apart = (of: TapeRequest): number => Math.abs(of.messages.length - messages.length);
  let best: { readonly of: TapeRequest; readonly shared: number } | undefined;
  for (const of of recorded) {
    const differs = of.messages.findIndex((message, place) => JSON.stringify(message) !== wanted[place]);
    const shared = differs < 0 ? of.messages.length : differs;
    if (best === undefined || shared > best.shared || (shared === best.shared && apart(of) < apart(best.of))) best = { of, shared };
  }
  return best;
}
