import type { Coverage } from './coverage.ts';

/** The situations with models, in a file of their own: part F of the cases. */
export type ModelCaseId = `F${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14}`;

const compaction = 'test/integration/world/compaction.test.ts';
const limits = 'test/integration/world/limitsAndRecovery.test.ts';
const oddStreams = 'test/integration/world/oddStreams.test.ts';
const openai = 'test/integration/models/openaiCompatible.test.ts';
const steering = 'test/integration/world/steering.test.ts';

export const MODEL_CASES: Readonly<Record<ModelCaseId, Coverage>> = {
  // The stream ends inside arguments.
  F1: [
    { file: openai, title: 'inside arguments, with finish_reason $finish and the connection then $how, is told as cut' },
    { file: openai, title: 'inside arguments by the output limit is told as length' },
    { file: openai, title: 'before its finish_reason (%s) is told as cut although its calls look whole' },
    { file: limits, title: 'never runs the calls of a reply that was cut, and asks again (F1)' },
  ],
  // Parallel calls that all arrive at index 0.
  F2: [
    { file: openai, title: 'tells parallel calls apart that all arrive at index 0' },
    { file: oddStreams, title: 'runs parallel calls that all came at index 0, and answers each under its own id (F2)' },
  ],
  // Calls without an id.
  F3: [
    { file: openai, title: 'gives calls without an id, or with one that was used before, an id of their own' },
    { file: oddStreams, title: 'answers a call without an id under the one that it was given (F3)' },
  ],
  // Thoughts that the provider wants back.
  F4: [{ file: openai, title: 'go back with their calls to the provider that had them, and to no other' }],
  // Usage that is missing, and chunks without choices.
  F5: [
    { file: openai, title: 'goes past chunks with choices %j' },
    { file: openai, title: 'asks again without stream_options where the server does not know them, and remembers it' },
    { file: openai, title: 'estimates the usage that a provider does not tell, and marks it' },
  ],
  // Rate limits and overload, in all their forms.
  F6: [
    { file: openai, title: '$name is told as one, after one request' },
    { file: openai, title: 'an error object inside a 200 stream is one: $why' },
    { file: oddStreams, title: 'waits and goes on after each way of saying “later”, and what it did counts (F6)' },
    { file: oddStreams, title: 'asks with the provider’s words where it stays refused, and is failed when it is handed in (F6)' },
  ],
  // Context length exceeded.
  F7: [
    { file: compaction, title: 'is made shorter once by force, with its largest outputs cut, and goes on' },
    { file: compaction, title: 'too long a second time in a row asks the person, with the reason, and can still be handed in' },
  ],
  // Cached tokens inside the prompt's count, or apart from it.
  F8: [{ file: oddStreams, title: 'counts a prompt $of once (F8)' }],
  // Arguments that are a JSON string, empty or invalid.
  F9: [{ file: oddStreams, title: 'carries out arguments that are a JSON string of an object, and says what is wrong with others (F9)' }],
  // The same call with the same result without end.
  F10: [
    { file: steering, title: 'offers the person a word, goes on with it, and ends as stuck where they say stop (F10)' },
    { file: steering, title: 'with other arguments each time is let work (F10)' },
  ],
  // Cancel in the middle of a stream or a back-off.
  F11: [
    { file: limits, title: 'hands in what it has when it is stopped, and sends nothing more (F11)' },
    { file: openai, title: 'in the middle of a stream ends it within a second, with what it may have cost' },
    { file: openai, title: 'while nothing has arrived yet ends it too' },
    { file: oddStreams, title: 'stops within a second in the middle of a stream and of a back-off, and sends and spends nothing more (F11)' },
  ],
  // A connection that is open but silent.
  F12: [
    { file: openai, title: 'a connection that is open but silent after the %s is given up' },
    { file: oddStreams, title: 'gives up a connection that is open but silent, and tries again (F12)' },
  ],
  // Special tokens and lone surrogates.
  F13: [
    { file: openai, title: 'holds no lone surrogate, and keeps tokens that mean something to a model as they are' },
    { file: openai, title: 'breaks such tokens only for a server that refuses them' },
    { file: oddStreams, title: 'reads a file with special tokens to a model that refuses them (F13)' },
  ],
  // A wrong key, an unknown model, no server.
  F14: [
    { file: openai, title: '$name is told with the way to mend it, after one request' },
    { file: openai, title: 'a server that is not there is one, but one that went away may come back' },
    { file: oddStreams, title: 'asks once, without retries, about $name (F14)' },
    { file: oddStreams, title: 'asks once, without retries, about a server that is not there (F14)' },
  ],
};
