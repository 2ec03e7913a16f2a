import { z } from 'zod';

/** `worldtree.tape`. What is wrong with it is told before anything is sent: who meant to play must not pay. */
export type TapeSetting =
  | { readonly mode: 'off' }
  | { readonly mode: 'record' | 'play'; readonly file: string }
  | { readonly mode: 'wrong'; readonly words: string };

const setting = z.strictObject({ mode: z.enum(['off', 'record', 'play']), file: z.string().optional() });

export function parseTapeSetting(value: unknown): TapeSetting {
  const parsed = setting.safeParse(value);
  if (!parsed.success) return { mode: 'wrong', words: `worldtree.tape is not understood: ${parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ')}.` };
  const { mode, file = '' } = parsed.data;
  if (mode === 'off') return { mode };
  // Relative to what, nobody could say: a window has several folders or none.
  return /^(?:~?[\\/]|[A-Za-z]:[\\/])/.test(file) ? { mode, file } : { mode: 'wrong', words: `worldtree.tape is to ${mode}, but names no file by its whole path.` };
}

/** In the status bar, while a tape is on; empty while none is. */
export function tapeWords({ mode }: TapeSetting): string {
  switch (mode) {
    case 'off': return '';
    case 'record': return 'recording a tape';
    case 'play': return 'playing a tape';
    case 'wrong': return 'the tape’s setting is wrong';
  }
}
