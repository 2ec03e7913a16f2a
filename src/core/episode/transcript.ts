import { z } from 'zod';
import { callId, filePath, folderPath } from '../ids.ts';
import { turnWarningName } from '../prompt/turnWarnings.ts';
import { message, replyEnd } from './model.ts';

export const TRANSCRIPT_VERSION = 1;

/**
 * One line of an episode's transcript: enough to go on after a crash in the middle of a turn. Written before the effect
 * it asks for, so that replaying it never repeats a call whose result is known.
 */
export const transcriptEntry = z.discriminatedUnion('type', [
  /** A message as it was sent: the first ones, a nudge, a warning, the person's words. */
  z.object({
    type: z.literal('said'), at: z.number(), by: z.enum(['host', 'person']), message,
    /** Set where it is a warning about turns: each is given once. */
    warning: turnWarningName.optional(),
    /** Set where the next reply is one of its own kind: the last one, or a summary. */
    asksFor: z.enum(['last turn', 'finishing up', 'summary']).optional(),
    /** Set where it proposes to delegate a folder: each is proposed once. */
    hint: folderPath.optional(),
    /** Of words that the person sent to an agent at work: the number, in the ledger, of the newest that is in here. */
    upTo: z.number().optional(),
  }),
  /** `input`: how many tokens the provider counted in what was sent; absent in old transcripts. */
  z.object({ type: z.literal('replied'), at: z.number(), request: z.number(), message, end: replyEnd, input: z.number().optional() }),
  /** The call is about to run; without a `result` after it, a crash came between. */
  z.object({ type: z.literal('called'), at: z.number(), call: callId }),
  z.object({ type: z.literal('result'), at: z.number(), call: callId, text: z.string(), ok: z.boolean(), wrote: filePath.nullable(), forced: z.boolean(), /** True where `finish` was answered with what it would leave out: the next one stands. */ reviewed: z.boolean() }),
  /** `finish` was accepted: the candidate was made. */
  z.object({ type: z.literal('finished'), at: z.number(), call: callId, number: z.number() }),
  /** The provider said that the conversation is too long for the model. */
  z.object({ type: z.literal('overflowed'), at: z.number(), words: z.string() }),
  /** From here on the model sees the summary instead of what stands above, which stays here. */
  z.object({ type: z.literal('compacted'), at: z.number(), by: z.enum(['model', 'host']), summary: z.string() }),
]);
export type TranscriptEntry = z.infer<typeof transcriptEntry>;
