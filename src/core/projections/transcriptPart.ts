import { maskSecrets } from '../secretLooks.ts';

/** A line with what is beneath it, or only that. */
export interface Part {
  readonly heading: string | null;
  readonly body: readonly string[];
  readonly folded: boolean;
}

export function partOf(heading: string, text: string, folded: boolean): Part {
  return { heading: `▸ ${heading}`, body: indented(text, 4), folded };
}

/** What others wrote always stands further in than what Worldtree says, so that none of it can pass for that. */
export function indented(text: string, by: number): readonly string[] {
  const before = ' '.repeat(by);
  return linesOf(maskSecrets(text)).map((line) => (line === '' ? '' : `${before}${line}`));
}

/** Lines as an editor counts them. A zero byte would make it take the page for a binary. */
export function linesOf(text: string): readonly string[] {
  return text.replaceAll('\0', '␀').replace(/(?:\r\n|\r|\n)+$/, '').split(/\r\n|\r|\n/);
}
