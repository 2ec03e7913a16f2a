/** A text that grows line by line up to a number of UTF-8 bytes. */
export class BoundedLines {
  private readonly lines: string[] = [];
  private bytes = 0;
  private readonly max: number;

  constructor(max: number) {
    this.max = max;
  }

  /** False, with nothing added, where the line does not fit any more. */
  add(line: string): boolean {
    const bytes = Buffer.byteLength(line) + 1;
    if (this.bytes + bytes > this.max) return false;
    this.bytes += bytes;
    this.lines.push(line);
    return true;
  }

  get count(): number {
    return this.lines.length;
  }

  get text(): string {
    return this.lines.join('\n');
  }
}
