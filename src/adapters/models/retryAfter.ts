/**
 * How long a provider asks to be left alone, in milliseconds; null where it does not say. Headers win over words:
 * `retry-after-ms`, `retry-after` as seconds or as an HTTP date (measured against the server's own `date`, whose
 * clock need not be ours), then "try again in 1.3s" in the message.
 */
export function retryAfterMs(headers: Headers | undefined, words: string, nowMs: number): number | null {
  const ms = numberIn(headers?.get('retry-after-ms'));
  if (ms !== null) return ms;
  const after = headers?.get('retry-after') ?? null;
  const seconds = numberIn(after);
  if (seconds !== null) return seconds * 1000;
  if (after !== null) {
    const at = Date.parse(after);
    const serverNow = Date.parse(headers?.get('date') ?? '');
    if (!Number.isNaN(at)) return Math.max(0, at - (Number.isNaN(serverNow) ? nowMs : serverNow));
  }
  return durationInWords(words);
}

function durationInWords(words: string): number | null {
  const found = /(?:try again|retry|available|wait)\D{0,24}?((?:\d+(?:\.\d+)?\s*(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|h)\b\s*)+|(?:\d+(?:\.\d+)?(?:ms|s|m|h))+)/i.exec(words)?.[1]
    ?? /retry_?delay\W{1,5}(\d+(?:\.\d+)?s)/i.exec(words)?.[1];
  if (found === undefined) return null;
  let total = 0;
  for (const [, amount, unit] of found.matchAll(/(\d+(?:\.\d+)?)\s*(milliseconds?|ms|s|m|h)/gi)) total += Number(amount) * unitMs(unit ?? 's');
  return total;
}

function unitMs(unit: string): number {
  const u = unit.toLowerCase();
  if (u === 'ms' || u.startsWith('milli')) return 1;
  if (u === 'm') return 60_000;
  return u === 'h' ? 3_600_000 : 1000;
}

function numberIn(text: string | null | undefined): number | null {
  return text !== null && text !== undefined && /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : null;
}
