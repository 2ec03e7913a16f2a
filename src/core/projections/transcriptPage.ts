import { modelName } from '../episode/model.ts';
import type { TranscriptEntry } from '../episode/transcript.ts';
import { unreachable } from '../exhaustive.ts';
import type { CallId } from '../ids.ts';
import { firstMessageParts } from '../prompt/firstMessages.ts';
import type { Episode, RequestSpent } from '../world/state.ts';
import { agentName } from './episodeWords.ts';
import { callPart, hostHeading, replyParts, turnHeading, type Call, type Replied } from './transcriptTurn.ts';
import { linesOf, partOf, type Part } from './transcriptPart.ts';

/** Lines that can be folded away beneath the first of them, counted from 0, both included. */
export interface Fold {
  readonly from: number;
  readonly to: number;
  /** Whether they are folded when the page opens. */
  readonly folded: boolean;
}

export interface Written {
  readonly text: string;
  readonly folds: readonly Fold[];
}

/**
 * A transcript as a person reads it: how it began, then turn after turn, calls with arguments and answers beneath
 * them. Nothing is cut, and secrets are masked. Takes the transcript entry by entry and keeps no more of it than the
 * turn that is under way: what came before never changes, so that a page that follows is only added to.
 */
export class TranscriptPage {
  readonly #episode: Pick<Episode, 'id' | 'world' | 'model' | 'goal'>;
  #line = 0;
  #turns = 0;
  #begun = false;
  /** The request of the turn before. */
  #request = 0;
  #stretch: Stretch | null = null;

  constructor(episode: Pick<Episode, 'id' | 'world' | 'model' | 'goal'>) {
    this.#episode = episode;
  }

  /** What the page begins with. */
  head(): Written {
    return this.#settled({ text: `Transcript of ${agentName(this.#episode)}, with ${modelName(this.#episode.model)}\n\n`, folds: [] });
  }

  /** What this entry settles: it follows on what was settled before. `requests`: what each request used, as far as it is known. */
  add(entry: TranscriptEntry, requests: readonly RequestSpent[]): Written {
    switch (entry.type) {
      case 'replied': {
        const before = this.#settle(requests);
        this.#turns += 1;
        this.#stretch = { kind: 'turn', number: this.#turns, after: this.#request, reply: entry, calls: callsOf(entry) };
        this.#request = Math.max(this.#request, entry.request);
        return before;
      }
      case 'said': return this.#beside(this.#saidParts(entry), requests);
      case 'overflowed': return this.#beside([partOf('The provider found the conversation too long', entry.words, false)], requests);
      case 'compacted': return this.#beside([partOf(`Summary, written by ${entry.by === 'model' ? 'the model' : 'Worldtree'}: from here on the model sees it instead of what stands above`, entry.summary, true)], requests);
      case 'called':
        this.#change(entry.call, (call) => ({ ...call, begun: true }));
        return NOTHING;
      case 'result':
        if (this.#change(entry.call, (call) => ({ ...call, answer: { ok: entry.ok, text: entry.text, proposed: null } }))) return NOTHING;
        return this.#beside([partOf('An answer to an earlier call', entry.text, true)], requests);
      case 'finished':
        if (this.#change(entry.call, (call) => ({ ...call, answer: { ok: true, text: '', proposed: entry.number } }))) return NOTHING;
        return this.#beside([{ heading: `▸ Proposed as change ${entry.number}`, body: [], folded: false }], requests);
      default: return unreachable(entry);
    }
  }

  /** How it ends for now: the turn under way. It comes again, changed or settled, once there is more; `over` where the agent is not at work. */
  end(requests: readonly RequestSpent[], over: boolean): Written {
    if (this.#stretch === null) return { text: this.#begun ? '' : 'Nothing was said yet, or it was said on another machine.\n', folds: [] };
    return this.#written(over ? closed(this.#stretch) : this.#stretch, requests);
  }

  /** Words between two turns. */
  #beside(parts: readonly Part[], requests: readonly RequestSpent[]): Written {
    const settled = this.#stretch?.kind === 'turn' ? this.#settle(requests) : NOTHING;
    if (parts.length > 0) this.#stretch = { kind: 'words', parts: [...(this.#stretch?.kind === 'words' ? this.#stretch.parts : []), ...parts] };
    return settled;
  }

  /** False where the turn under way has no such call. */
  #change(id: CallId, changed: (call: Call) => Call): boolean {
    if (this.#stretch?.kind !== 'turn' || !this.#stretch.calls.some(({ call }) => call.id === id)) return false;
    this.#stretch = { ...this.#stretch, calls: this.#stretch.calls.map((call) => (call.call.id === id ? changed(call) : call)) };
    return true;
  }

  #saidParts(entry: Extract<TranscriptEntry, { type: 'said' }>): readonly Part[] {
    const { message, by } = entry;
    if (message.role === 'system') {
      // Said again after a crash between the first messages, and sent once.
      const again = this.#stretch !== null || this.#begun;
      return again ? [] : [partOf('System prompt', message.text, true)];
    }
    const parts = this.#begun || this.#turns > 0 ? null : firstMessageParts(message.text, this.#episode.goal);
    this.#begun = true;
    if (parts !== null) {
      return [
        partOf('The repository and its pages', parts.pages, true),
        partOf('Role, folder and limits', parts.role, true),
        partOf('Goal', this.#episode.goal.trim(), false),
        ...(parts.notes === '' ? [] : [partOf('Notes on the worktree', parts.notes, true)]),
      ];
    }
    return [by === 'person' ? partOf('You said', message.text, false) : partOf(hostHeading(entry), message.text, linesOf(message.text).length > 3)];
  }

  #settle(requests: readonly RequestSpent[]): Written {
    if (this.#stretch === null) return NOTHING;
    const stretch = closed(this.#stretch);
    this.#stretch = null;
    this.#begun = true;
    return this.#settled(this.#written(stretch, requests));
  }

  #settled(written: Written): Written {
    this.#line += written.text.split('\n').length - 1;
    return written;
  }

  #written(stretch: Stretch, requests: readonly RequestSpent[]): Written {
    if (stretch.kind === 'words') return layOut([], stretch.parts, this.#line);
    const { number, after, reply, calls } = stretch;
    return layOut([turnHeading({ number, after, reply, model: this.#episode.model }, requests)], [...replyParts(reply), ...calls.map(callPart)], this.#line);
  }
}

const NOTHING: Written = { text: '', folds: [] };

/** What is laid out together: a turn, or what was said before one. */
type Stretch =
  | { readonly kind: 'words'; readonly parts: readonly Part[] }
  | { readonly kind: 'turn'; readonly number: number; readonly after: number; readonly reply: Replied; readonly calls: readonly Call[] };

/** What was not answered until now is not answered any more. */
function closed(stretch: Stretch): Stretch {
  return stretch.kind === 'words' ? stretch : { ...stretch, calls: stretch.calls.map((call) => ({ ...call, over: true })) };
}

function callsOf({ message, end }: Replied): readonly Call[] {
  return message.role === 'assistant' ? message.calls.map((call) => ({ call, cut: end !== 'complete', begun: false, over: false, answer: null })) : [];
}

function layOut(heading: readonly string[], parts: readonly Part[], at: number): Written {
  const lines = [...heading];
  const folds: Fold[] = [];
  for (const { heading: above, body, folded } of parts) {
    const from = at + lines.length;
    if (above !== null) lines.push(above);
    for (const line of body) lines.push(line);
    if (above !== null && body.length > 0) folds.push({ from, to: at + lines.length - 1, folded });
  }
  if (heading.length > 0 && lines.length > 1) folds.unshift({ from: at, to: at + lines.length - 1, folded: false });
  return { text: `${lines.join('\n')}\n\n`, folds };
}
