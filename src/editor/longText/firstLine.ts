/** A text of several lines in a box of one: its first line is shown and edited there, the others are kept. */

export function firstLineOf(text: string): string {
  const end = text.indexOf('\n');
  return end < 0 ? text : text.slice(0, end);
}

export function withFirstLine(text: string, line: string): string {
  return line + text.slice(firstLineOf(text).length);
}

/** The lines below the first that say something. */
export function furtherLines(text: string): readonly string[] {
  return text.split('\n').slice(1).filter((line) => line.trim() !== '');
}
