/** VS Code draws spaces as no-break spaces, and icons as private characters. */
export function visibleText(raw: string | null): string {
  return (raw ?? '').replaceAll(/[\u200B\uE000-\uF8FF]/g, '').replaceAll(/\s+/g, ' ').trim();
}
