import type { Refusal } from '../core/refusal.ts';

/** A refusal as one text: what happened, what to do next, and the files in the way. */
export function refusalText(refusal: Refusal): string {
  const sentences = [refusal.message, refusal.next].map((text) => text.trim()).filter((text) => text !== '').map((text) => (/[.!?:…]$/.test(text) ? text : `${text}.`));
  return sentences.join(' ');
}

/** The files of a refusal, one a line, at most `most`; empty where it names none. */
export function refusalFiles(refusal: Refusal, most = 12): string {
  const files = refusal.files ?? [];
  const named = files.slice(0, most).join('\n');
  return files.length > most ? `${named}\n…and ${String(files.length - most)} more` : named;
}
