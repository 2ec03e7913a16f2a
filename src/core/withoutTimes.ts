/** What a command printed says how long it took and when, and that is never the same twice. */
export function withoutTimes(text: string): string {
  return text.replace(/\b\d+(?:[.,]\d+)?\s?(?:ms|s|secs?|seconds?|min(?:utes?)?)\b|\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?\b/g, '⟨time⟩');
}
