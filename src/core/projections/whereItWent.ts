import type { ToolCall } from '../episode/model.ts';
import type { TranscriptEntry } from '../episode/transcript.ts';
import type { EpisodeId } from '../ids.ts';
import { estimatedTokens } from '../limits/estimate.ts';
import type { Usage } from '../limits/usage.ts';
import type { Episode, RequestSpent, WorldState } from '../world/state.ts';

/** What one agent used, and what of it could have been less. */
export interface AgentSpending {
  readonly episode: Episode;
  /** Input that a request before it had sent already: what a cache is for, and what a long conversation costs. */
  readonly sentAgain: number;
  readonly failed: { readonly requests: number; readonly usd: number };
  readonly misses: readonly CacheMiss[];
  readonly repeated: readonly RepeatedCall[];
  readonly outputs: readonly LargeOutput[];
}

/** A request for which the provider had less in its cache than for the one before, although it began with the same. */
interface CacheMiss {
  readonly episode: EpisodeId;
  readonly request: number;
  /** Tokens that were cached before and not now. */
  readonly lost: number;
  /** Milliseconds since the request before. */
  readonly pauseMs: number;
}

interface RepeatedCall {
  readonly episode: EpisodeId;
  readonly call: string;
  readonly times: number;
  /** All its results together. */
  readonly tokens: number;
}

interface LargeOutput {
  readonly episode: EpisodeId;
  readonly call: string;
  readonly tokens: number;
  /** Requests that it was a part of. */
  readonly sent: number;
}

/** The agents that used most, the most expensive first; where nothing has a price, by tokens. */
export function topAgents(state: WorldState, most: number): readonly Episode[] {
  return [...state.episodes.values()].filter((e) => inputOf(e.spent.usage) > 0).toSorted((a, b) => b.spent.usd - a.spent.usd || all(b.spent.usage) - all(a.spent.usage)).slice(0, most);
}

export function agentSpending(episode: Episode, transcript: readonly TranscriptEntry[]): AgentSpending {
  const { requests } = episode.spent;
  const failed = requests.filter((r) => !r.answered);
  const pairs = inTurn(requests, firstAfterSummaries(transcript));
  const calls = callsOf(transcript);
  return {
    episode,
    sentAgain: pairs.reduce((sum, [before, now]) => sum + Math.min(inputOf(before.usage), inputOf(now.usage)), 0),
    failed: { requests: failed.length, usd: failed.reduce((sum, r) => sum + r.usd, 0) },
    misses: pairs.flatMap(([before, now]) => missOf(episode.id, before, now)),
    repeated: repeatedOf(episode.id, calls),
    outputs: calls.map(({ call, tokens, sent }) => ({ episode: episode.id, call: callWords(call), tokens, sent })),
  };
}

/** Each answered request with the one before: what failed may have sent nothing. None across a summary, after which a conversation is another. */
function inTurn(requests: readonly RequestSpent[], anew: ReadonlySet<number>): readonly (readonly [RequestSpent, RequestSpent])[] {
  const counted = requests.filter((r) => r.answered);
  return counted.flatMap((now, place) => {
    const before = counted[place - 1];
    return before === undefined || anew.has(now.request) ? [] : [[before, now] as const];
  });
}

/** The requests whose reply is the first after a summary took the place of what stood before. */
function firstAfterSummaries(transcript: readonly TranscriptEntry[]): ReadonlySet<number> {
  const first = new Set<number>();
  let compacted = false;
  for (const entry of transcript) {
    if (entry.type === 'compacted') compacted = true;
    if (entry.type !== 'replied') continue;
    if (compacted) first.add(entry.request);
    compacted = false;
  }
  return first;
}

/** A conversation only grows, so what was cached once is its beginning still; a shorter one was begun anew. Estimates know nothing of caches. */
function missOf(episode: EpisodeId, before: RequestSpent, now: RequestSpent): readonly CacheMiss[] {
  const lost = before.usage.cached - now.usage.cached;
  if (before.estimated || now.estimated || lost <= 0 || inputOf(now.usage) < inputOf(before.usage)) return [];
  return [{ episode, request: now.request, lost, pauseMs: now.at - before.at }];
}

interface RanCall {
  readonly call: ToolCall;
  readonly tokens: number;
  sent: number;
}

function callsOf(transcript: readonly TranscriptEntry[]): readonly RanCall[] {
  const open = new Map<string, ToolCall>();
  const ran: RanCall[] = [];
  /** Those that are in what is sent now: a summary takes them out. */
  let inView: RanCall[] = [];
  for (const entry of transcript) {
    if (entry.type === 'replied') {
      for (const one of inView) one.sent += 1;
      if (entry.message.role === 'assistant' && entry.end === 'complete') for (const call of entry.message.calls) open.set(call.id, call);
    } else if (entry.type === 'result') {
      const call = open.get(entry.call);
      if (call === undefined) continue;
      const one = { call, tokens: estimatedTokens(entry.text), sent: 0 };
      ran.push(one);
      inView.push(one);
    } else if (entry.type === 'compacted') inView = [];
  }
  return ran;
}

function repeatedOf(episode: EpisodeId, calls: readonly RanCall[]): readonly RepeatedCall[] {
  const byCall = new Map<string, RanCall[]>();
  for (const ran of calls) {
    const key = JSON.stringify([ran.call.name, ran.call.arguments]);
    byCall.set(key, [...(byCall.get(key) ?? []), ran]);
  }
  return [...byCall.values()].flatMap((same) => {
    const [first] = same;
    return first === undefined || same.length < 2 ? [] : [{ episode, call: callWords(first.call), times: same.length, tokens: same.reduce((sum, { tokens }) => sum + tokens, 0) }];
  });
}

function callWords({ name, arguments: args }: ToolCall): string {
  return `${name} ${args}`;
}

export function inputOf(usage: Usage): number {
  return usage.fresh + usage.cached;
}

function all(usage: Usage): number {
  return inputOf(usage) + usage.output;
}
