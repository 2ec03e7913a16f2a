/** A file's bytes as text, or why they are none that a tool may change. */
type TextFile =
  | { readonly kind: 'text'; /** Without the byte order mark. */ readonly text: string; readonly bom: boolean }
  | NotText;

interface NotText {
  readonly kind: 'utf-16' | 'other-encoding' | 'binary';
}

/**
 * Only UTF-8 is text to us: whatever else is decoded and encoded again could come out with other bytes. A byte
 * order mark is taken off, and put back by `encodeText`.
 */
export function decodeText(bytes: Uint8Array): TextFile {
  const bom = hasBom(bytes);
  const kind = notTextKind(bytes);
  if (kind !== null) return { kind };
  const body = bom ? bytes.subarray(BOM.length) : bytes;
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body), bom };
  } catch {
    return { kind: 'other-encoding' };
  }
}

export function encodeText(text: string, bom: boolean): Uint8Array {
  const body = new TextEncoder().encode(text);
  if (!bom) return body;
  const bytes = new Uint8Array(BOM.length + body.length);
  bytes.set(BOM);
  bytes.set(body, BOM.length);
  return bytes;
}

export function hasBom(bytes: Uint8Array): boolean {
  return BOM.every((byte, i) => bytes[i] === byte);
}

/** What the bytes show without being decoded; null where they may be UTF-8. A beginning of a file is enough. */
export function notTextKind(bytes: Uint8Array): NotText['kind'] | null {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) return 'utf-16';
  const nul = bytes.indexOf(0);
  if (nul < 0) return null;
  // UTF-16 without a mark: in Latin text every other byte is zero.
  const sample = bytes.subarray(0, 512);
  const zeros = [0, 0];
  sample.forEach((byte, i) => { if (byte === 0) zeros[i % 2] = (zeros[i % 2] ?? 0) + 1; });
  const [even = 0, odd = 0] = zeros;
  return sample.length >= 8 && Math.max(even, odd) > sample.length / 3 && Math.min(even, odd) === 0 ? 'utf-16' : 'binary';
}

/** Words that follow a path: "a.ts ...". */
export function notTextWords(kind: NotText['kind']): string {
  switch (kind) {
    case 'utf-16': return 'is UTF-16 text, which these tools neither show nor change';
    case 'other-encoding': return 'is not UTF-8 text (perhaps Windows-1252 or another old encoding); its bytes are left alone';
    case 'binary': return 'is a binary file';
  }
}

const BOM = [0xef, 0xbb, 0xbf];
