import type { FolderPath } from '../ids.ts';
import type { Question } from '../ledger/events.ts';
import type { PersonMessage } from '../world/state.ts';
import type { TurnWarning } from '../prompt/turnWarnings.ts';
import type { ToolCall } from './model.ts';
import type { TranscriptEntry } from './transcript.ts';

/** What an episode does next. The runtime performs it and appends what came of it to the transcript. */
export type Step =
  | { readonly do: 'say first messages' }
  | { readonly do: 'ask model' }
  | { readonly do: 'say'; readonly text: string; readonly warning?: TurnWarning; readonly asksFor?: NonNullable<Extract<TranscriptEntry, { type: 'said' }>['asksFor']>; readonly hint?: FolderPath }
  /** Words of the person that the model has not been told; `upTo` is the number of the newest. */
  | { readonly do: 'pass on'; readonly text: string; readonly upTo: number }
  | { readonly do: 'run call'; readonly call: ToolCall }
  /** Answered without being run. */
  | { readonly do: 'answer call'; readonly call: ToolCall; readonly text: string }
  | { readonly do: 'finish'; readonly call: ToolCall }
  /** The window begins anew with a summary; null where the model wrote none and the host has to. */
  | { readonly do: 'compact'; readonly summary: string | null }
  | { readonly do: 'ask person'; readonly question: Question }
  /** The model will not go on by itself, or may not: take what there is. */
  | { readonly do: 'hand in'; readonly why: string; readonly otherwise: 'failed' | 'stuck' | 'cancelled' }
  | { readonly do: 'wait' };

/** What the next step depends on besides the transcript: facts of the ledger, and limits of the machine. */
export interface Circumstances {
  readonly turns: { readonly used: number; readonly most: number };
  /** Everything that the person sent to this agent, oldest first. */
  readonly messages: readonly PersonMessage[];
  /** The person asked it to come to an end. */
  readonly cancelling: boolean;
  readonly mayDelegate: boolean;
  readonly folder: FolderPath;
  /** Tokens of conversation from which on it is compacted. */
  readonly compactAt: number;
}
