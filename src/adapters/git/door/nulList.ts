import { Refused } from '../../../core/refusal.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The fields of a `-z` output. Names that are not UTF-8 cannot be shown, typed or compared, so they are refused by name. */
export function fields(output: Uint8Array): string[] {
  let text: string;
  try {
    text = utf8.decode(output);
  } catch (cause) {
    const lossy = Buffer.from(output).toString('utf8').split('\0').filter((field) => field.includes('\ufffd')).map((field) => field.replace(/^[?!] /, ''));
    throw new Refused({
      reason: 'name-unreadable',
      message: `A file name is not valid UTF-8: ${lossy.slice(0, 3).join(', ')}`,
      next: 'Rename the file, then try again.',
      files: lossy.slice(0, 20),
    }, { cause });
  }
  const parts = text.split('\0');
  if (parts.at(-1) === '') parts.pop();
  return parts;
}

/** What `-z --stdin` reads. */
export function nulTerminated(items: readonly string[]): string {
  return items.map((item) => `${item}\0`).join('');
}
