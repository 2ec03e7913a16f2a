import type { Message, ModelReply, ToolDefinition } from '../core/episode/model.ts';
import { modelName, slotsKey } from '../core/episode/model.ts';
import { backOffMs, LONGEST_WAIT_MS, MODEL_RETRIES } from '../core/limits/backOff.ts';
import { depthOf } from '../core/limits/binding.ts';
import { estimatedTokens, requestEstimate } from '../core/limits/estimate.ts';
import { NO_USAGE, type Usage } from '../core/limits/usage.ts';
import type { Question } from '../core/ledger/events.ts';
import type { Episode } from '../core/world/state.ts';
import type { LiveStatus } from './liveStatus.ts';
import type { ModelSlots, Slot } from './modelSlots.ts';
import type { Clock } from './ports/clock.ts';
import { ModelError, type Models } from './ports/models.ts';
import type { Settings } from './ports/settings.ts';
import type { Spending } from './ports/spending.ts';
import { duration } from '../core/projections/amounts.ts';
import { amountOf, usdOf } from './spentAmount.ts';
import type { WorldLog } from './worldLog.ts';

export interface ModelTurnPorts {
  readonly log: WorldLog;
  readonly live: LiveStatus;
  readonly models: Models;
  readonly slots: ModelSlots;
  readonly spending: Spending;
  readonly settings: Settings;
  readonly clock: Clock;
}

type TurnResult =
  | { readonly kind: 'replied'; readonly reply: ModelReply; readonly request: number }
  /** The person is asked; the loop stops until the answer. */
  | { readonly kind: 'asking' }
  /** The provider says that the conversation is too long for the model. */
  | { readonly kind: 'too long'; readonly words: string }
  | { readonly kind: 'stopped' };

interface Reserved {
  readonly kind: 'reserved';
  readonly request: number;
  readonly reservation: string;
  readonly slot: Slot;
}

/** How long a request that does not fit yet waits before it is tried again, in milliseconds. */
const WAIT_MS = 500;

/**
 * One turn: wait for a slot of the model, reserve in the ledger and in the day's file, send, count what was used
 * exactly once, back off and try again where that helps, ask the person where it does not.
 */
export async function modelTurn(ports: ModelTurnPorts, episode: Episode, messages: readonly Message[], tools: readonly ToolDefinition[], signal: AbortSignal): Promise<TurnResult> {
  const { log, live, clock } = ports;
  const maxOutputTokens = ports.settings.maxOutputTokens(episode.model);
  const estimate = requestEstimate(messages, tools, maxOutputTokens);
  for (let failures = 0; ;) {
    if (signal.aborted) return { kind: 'stopped' };
    const reserved = await reserve(ports, episode, estimate, signal);
    if (reserved.kind !== 'reserved') return reserved;
    const { request, reservation, slot } = reserved;
    live.say(episode.id, `turn ${log.episode(episode.id).spent.turns + 1}: thinking`);
    let streamed = 0;
    const answer = await ports.models.ask({
      model: episode.model, messages, tools, maxOutputTokens, signal,
      onText: (delta) => { streamed += delta.length; live.stream(episode.id, delta); },
    }).then((reply) => ({ ok: true as const, reply }), (error: unknown) => ({ ok: false as const, failure: asModelError(error) })).finally(() => slot.free());
    // Outside of what catches the model's failures: a full disk must neither pass for one nor lose a reply that was paid.
    if (answer.ok) {
      const { reply } = answer;
      const usd = usdOf(episode.model, reply.usage);
      await log.dispatch({ type: 'model answered', episode: episode.id, request, usage: reply.usage, usd, estimated: reply.estimated });
      await ports.spending.settle(reservation, amountOf(episode.model, reply.usage)).catch(() => undefined);
      return { kind: 'replied', reply, request };
    }
    const { failure } = answer;
    // Once text had come, the provider has the prompt on its bill even if it never told a count.
    const usage = failure.usage ?? (streamed > 0 ? { ...estimate, output: estimatedTokens(' '.repeat(streamed)) } : NO_USAGE);
    const usd = usdOf(episode.model, usage);
    await log.dispatch({ type: 'model failed', episode: episode.id, request, words: failure.message, usage, usd, estimated: usage !== NO_USAGE });
    await ports.spending.settle(reservation, amountOf(episode.model, usage)).catch(() => undefined);
    if (failure.failure.kind === 'cancelled') return { kind: 'stopped' };
    if (failure.failure.kind === 'fatal' && failure.failure.why === 'context-length') return { kind: 'too long', words: `${failure.message} ${failure.next}` };
    failures += 1;
    if (failure.failure.kind === 'fatal' || failures > MODEL_RETRIES) return asked(ports, episode, { kind: 'failed', words: `${failure.message} ${failure.next}` });
    const wanted = failure.failure.retryAfterMs ?? 0;
    if (wanted > LONGEST_WAIT_MS) return asked(ports, episode, { kind: 'failed', words: `${failure.message} It asks to be left alone for ${duration(wanted)}. Try again then, or choose another model.` });
    const ms = backOffMs(failures, failure.failure.retryAfterMs, clock.random());
    live.say(episode.id, `backing off ${Math.ceil(ms / 1000)} s: ${failure.message}`);
    await clock.sleep(ms, signal).catch(() => undefined);
  }
}

async function reserve(ports: ModelTurnPorts, episode: Episode, estimate: Usage, signal: AbortSignal): Promise<Reserved | { kind: 'asking' } | { kind: 'stopped' }> {
  for (;;) {
    const slot = await slotFor(ports, episode, signal);
    if (slot === null) return { kind: 'stopped' };
    const tried = await tryToReserve(ports, episode, estimate).catch((error: unknown) => {
      slot.free();
      throw error;
    });
    if (tried.kind === 'reserved') {
      slot.use();
      return { ...tried, slot };
    }
    // Whoever is in flight needs a slot no longer than this one waits.
    slot.free();
    if (tried.kind !== 'wait') return tried;
    ports.live.say(episode.id, 'waiting until what is in flight has been counted');
    await ports.clock.sleep(WAIT_MS, signal).catch(() => undefined);
  }
}

function slotFor({ slots, settings, log, live }: ModelTurnPorts, { id, model }: Episode, signal: AbortSignal): Promise<Slot | null> {
  return slots.take({ key: slotsKey(model), slots: settings.slots(model), episode: id, depth: depthOf(log.state, id), signal, onWait: () => live.say(id, `waiting for a slot of ${modelName(model)}`) });
}

async function tryToReserve(ports: ModelTurnPorts, episode: Episode, estimate: Usage): Promise<{ kind: 'reserved'; request: number; reservation: string } | { kind: 'wait' } | { kind: 'asking' } | { kind: 'stopped' }> {
  const { log, spending } = ports;
  const usd = usdOf(episode.model, estimate);
  // Read before each request and not only listened for: another window's Stop Everything must bind at once (rule 7).
  const { phase } = log.episode(episode.id);
  if (phase.name === 'running' && (await spending.stoppedAt() ?? 0) > phase.since) {
    await log.dispatch({ type: 'stop', episode: episode.id });
    return { kind: 'stopped' };
  }
  const daily = await spending.reserve(amountOf(episode.model, estimate), ports.settings.daily());
  if (daily.kind === 'reached') return asked(ports, episode, { kind: 'limit', limit: daily.limit, used: daily.used, cap: daily.cap });
  if (daily.kind === 'reserved') {
    const told = await log.dispatch({ type: 'request model', episode: episode.id, at: log.now(), estimate, usd });
    const event = told.ok ? told.events[0] : undefined;
    if (event?.type === 'model.requested') return { kind: 'reserved', request: event.request, reservation: daily.reservation };
    await spending.settle(daily.reservation, { usd: 0, unpricedTokens: 0 });
    if (event?.type === 'episode.asked') return { kind: 'asking' };
    if (!told.ok && told.refusal.reason !== 'limit-reached') return { kind: 'stopped' };
  }
  return { kind: 'wait' };
}

async function asked({ log }: ModelTurnPorts, episode: Episode, question: Question): Promise<{ kind: 'asking' }> {
  await log.dispatch({ type: 'ask', episode: episode.id, question });
  return { kind: 'asking' };
}

function asModelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  const words = error instanceof Error ? error.message : String(error);
  return new ModelError({ kind: 'fatal', why: 'invalid' }, `The model could not be asked: ${words}.`, 'Try again; if it stays so, report it.', null, { cause: error });
}
