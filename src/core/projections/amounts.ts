/** Amounts as people read them, the same in every view. */

/** US dollars, as `$0.42`; what is smaller than a cent but not nothing is `<$0.01`. */
export function usd(amount: number): string {
  return amount > 0 && amount < 0.01 ? '<$0.01' : `$${amount.toFixed(2)}`;
}

/** US dollars where a cent is much, as for one request: `$0.0021`. */
export function exactUsd(amount: number): string {
  return amount > 0 && amount < 1 ? `$${amount.toFixed(4)}` : usd(amount);
}

/** A count of tokens: `950`, `12.3 k`, `3.91 M`. */
export function tokens(count: number): string {
  if (count < 1000) return String(Math.round(count));
  if (count < 999_500) return `${short(count / 1000)} k`;
  return `${short(count / 1_000_000)} M`;
}

/** Bytes of something large: `12 MB`. */
export function megabytes(bytes: number): string {
  return `${thousands(Math.round(bytes / (1024 * 1024)))} MB`;
}

/** Bytes of anything: `<1 kB`, `12 kB`, `12 MB`. */
export function size(bytes: number): string {
  if (bytes < 1024) return '<1 kB';
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} kB` : megabytes(bytes);
}

/** Milliseconds: `<1 s`, `38 s`, `12 min`, `2 h 5 min`, `3 d`. */
export function duration(ms: number): string {
  if (ms < 1000) return '<1 s';
  if (ms < 60_000) return `${Math.floor(ms / 1000)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return `${Math.floor(hours / 24)} d`;
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}

/** How long ago `at` was, both in milliseconds since the epoch: `just now`, `5 min ago`, `3 d ago`. */
export function age(at: number, now: number): string {
  const passed = now - at;
  if (passed < 60_000) return 'just now';
  const hours = Math.floor(passed / 3_600_000);
  return `${hours === 0 || hours >= 48 ? duration(passed) : `${hours} h`} ago`;
}

/** `1 file`, `2 files`, `9,347 files`. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${thousands(n)} ${n === 1 ? one : many}`;
}

/** `9347` as `9,347`. */
export function thousands(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Names in a sentence: `a`, `a and b`, `a, b and 3 more`. At most `most` are named. */
export function listed(names: readonly string[], most = 3): string {
  const named = names.length > most ? names.slice(0, most - 1) : names;
  const rest = names.length - named.length;
  const parts = rest > 0 ? [...named, `${thousands(rest)} more`] : named;
  return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`;
}

/** Cuts to one line of at most `most` characters; what was cut shows as an ellipsis. */
export function oneLine(text: string, most: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= most ? line : `${line.slice(0, most - 1).trimEnd()}…`;
}

/** Three digits at most, no needless zeros: 3.91, 12.3, 340. */
function short(n: number): string {
  const text = n < 10 ? n.toFixed(2) : n < 100 ? n.toFixed(1) : n.toFixed(0);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
