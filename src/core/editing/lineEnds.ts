/** A text with LF only, and the way back to where its line ends were CRLF. A CR on its own is an ordinary character. */
export class LineEnds {
  readonly text: string;
  private readonly original: string;
  /** Offsets in `text` of the line feeds that were CRLF, ascending. */
  private readonly crlf: readonly number[];

  constructor(original: string) {
    this.original = original;
    this.text = original.replaceAll('\r\n', '\n');
    const crlf: number[] = [];
    for (let at = original.indexOf('\r\n'); at >= 0; at = original.indexOf('\r\n', at + 2)) crlf.push(at - crlf.length);
    this.crlf = crlf;
  }

  /** The offset in the original of an offset in `text`. */
  originalOffset(at: number): number {
    return at + this.crlfBefore(at);
  }

  /** What the line feed at this offset of `text` was. */
  at(lineFeed: number): '\r\n' | '\n' {
    return this.crlf[this.crlfBefore(lineFeed)] === lineFeed ? '\r\n' : '\n';
  }

  /** The line end that goes with a place: that of its own line, else of the line before, else LF. */
  near(at: number): '\r\n' | '\n' {
    const next = this.text.indexOf('\n', at);
    if (next >= 0) return this.at(next);
    const before = at === 0 ? -1 : this.text.lastIndexOf('\n', at - 1);
    return before >= 0 ? this.at(before) : '\n';
  }

  /** The line ends of the whole text; `none` where it has no line end. */
  get kind(): 'crlf' | 'lf' | 'mixed' | 'none' {
    const all = this.original.split('\n').length - 1;
    if (all === 0) return 'none';
    if (this.crlf.length === 0) return 'lf';
    return this.crlf.length === all ? 'crlf' : 'mixed';
  }

  private crlfBefore(at: number): number {
    let low = 0;
    let high = this.crlf.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.crlf[middle] ?? Infinity) < at) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
