import { stripVTControlCharacters } from 'node:util';

/**
 * The beginning and the end of what a command prints, in bounded memory. The end gets the larger part: that is where
 * errors and totals stand.
 */
export class BoundedOutput {
  private readonly head: Buffer[] = [];
  private headBytes = 0;
  private tail: Buffer[] = [];
  private tailBytes = 0;
  private total = 0;
  private readonly maxHead: number;
  private readonly maxTail: number;

  constructor(maxBytes: number) {
    this.maxHead = Math.floor(maxBytes / 4);
    this.maxTail = maxBytes - this.maxHead;
  }

  add(chunk: Buffer): void {
    this.total += chunk.length;
    const toHead = Math.min(chunk.length, this.maxHead - this.headBytes);
    if (toHead > 0) {
      this.head.push(Buffer.from(chunk.subarray(0, toHead)));
      this.headBytes += toHead;
    }
    const rest = chunk.subarray(toHead).subarray(-this.maxTail);
    if (rest.length === 0) return;
    this.tail.push(Buffer.from(rest));
    this.tailBytes += rest.length;
    // Joined only now and then, so that many small chunks cost no more than their bytes.
    if (this.tailBytes > 4 * this.maxTail || this.tail.length > 1000) this.joinTail();
  }

  /** As a person would see it at the end: without colours and without lines that were overwritten. */
  get text(): string {
    this.joinTail();
    const head = Buffer.concat(this.head);
    const tail = Buffer.concat(this.tail);
    const left = this.total - head.length - tail.length;
    if (left <= 0) return plain(Buffer.concat([head, tail]).toString('utf8'));
    return `${plain(whole(head))}\n[… ${left} bytes left out. To see them, run it again with its output in a file outside the worktree or piped through grep, head or tail.]\n${plain(whole(tail))}`;
  }

  private joinTail(): void {
    const joined = Buffer.concat(this.tail);
    this.tail = [Buffer.from(joined.subarray(-this.maxTail))];
    this.tailBytes = Math.min(joined.length, this.maxTail);
  }
}

/** Without the pieces of characters that a cut left at either side. */
function whole(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/^\ufffd+|\ufffd+$/g, '');
}

function plain(text: string): string {
  return stripVTControlCharacters(text).split('\n').map(lastWritten).join('\n').replaceAll('\0', '');
}

/** A progress bar writes the same line again and again. */
function lastWritten(line: string): string {
  const end = line.replace(/\r+$/, '');
  return end.slice(end.lastIndexOf('\r') + 1);
}
