import { setTimeout as delay } from 'node:timers/promises';
import { patience } from './patience.ts';

/** Asks again until the answer is there; says in the error what was waited for and, when it is told, what was seen instead. */
export async function eventually<T>(what: string, ask: () => Promise<T | undefined>, options: { readonly timeout?: number; readonly seen?: () => Promise<string> } = {}): Promise<T> {
  const { timeout = patience, seen } = options;
  const end = performance.now() + timeout;
  let failure: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== undefined) return answer;
      failure = undefined;
    } catch (error) {
      // A part of the page that is redrawn while it is read.
      failure = error;
    }
    if (performance.now() > end) break;
    await delay(50);
  }
  const instead = seen === undefined ? '' : ` Seen instead: ${await seen().catch(String)}`;
  throw new Error(`Waited ${timeout / 1000} s for ${what}.${instead}`, { cause: failure });
}
