import { requestEstimate } from '../core/limits/estimate.ts';
import type { DailyLimits } from '../core/limits/limits.ts';
import { NO_USAGE, type Usage } from '../core/limits/usage.ts';
import { Refused } from '../core/refusal.ts';
import type { Clock } from './ports/clock.ts';
import { ModelError, type ModelRequest, type Models } from './ports/models.ts';
import type { ReserveResult, Spending } from './ports/spending.ts';
import { amountOf } from './spentAmount.ts';

/**
 * Models for what the person asks of them without an agent, such as a test of a connection: within the day's cap and
 * counted like any other request (rules 7 and 8). Stop Everything ends it, from when this was called on.
 */
export function countedModels(models: Models, { spending, daily, clock }: { readonly spending: Spending; readonly daily: () => DailyLimits; readonly clock: Pick<Clock, 'now'> }): Models {
  const since = clock.now();
  return {
    async ask(request) {
      if ((await spending.stoppedAt() ?? 0) > since) throw new ModelError({ kind: 'cancelled' }, 'Everything was stopped.', 'Nothing more is sent. Try again when you want to go on.');
      const reservation = await reserved(spending, request, daily());
      // A full disk must not take the answer away; the reservation then stays counted.
      const settle = (usage: Usage): Promise<void> => spending.settle(reservation, amountOf(request.model, usage)).catch(() => undefined);
      const stop = new AbortController();
      const listening = spending.onStop(() => stop.abort());
      try {
        const reply = await models.ask({ ...request, signal: AbortSignal.any([request.signal, stop.signal]) });
        await settle(reply.usage);
        return reply;
      } catch (error) {
        await settle((error instanceof ModelError ? error.usage : null) ?? NO_USAGE);
        throw error;
      } finally {
        listening.dispose();
      }
    },
  };
}

async function reserved(spending: Spending, { model, messages, tools, maxOutputTokens }: ModelRequest, daily: DailyLimits): Promise<string> {
  const result = await spending.reserve(amountOf(model, requestEstimate(messages, tools, maxOutputTokens)), daily).catch((error: unknown) => {
    if (error instanceof Refused) throw new ModelError({ kind: 'fatal', why: 'refused' }, error.refusal.message, error.refusal.next, null, { cause: error });
    throw error;
  });
  if (result.kind !== 'reserved') throw beyondTheDay(result);
  return result.reservation;
}

function beyondTheDay({ kind }: Exclude<ReserveResult, { kind: 'reserved' }>): ModelError {
  return kind === 'wait'
    ? new ModelError({ kind: 'fatal', why: 'refused' }, 'What is left of the day’s cap is reserved for requests that are under way. Nothing was sent.', 'Try again when they are answered.')
    : new ModelError({ kind: 'fatal', why: 'refused' }, 'The day’s cap is reached. Nothing was sent.', 'Raise it in the settings, or try again tomorrow.');
}
