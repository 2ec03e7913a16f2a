import type { FilePath } from '../../core/ids.ts';
import type { ToolCall } from './toolCall.ts';

/** Why a file that was written will not be part of the change, with what to do; null where it will. */
export async function keptOut(path: FilePath, call: ToolCall): Promise<{ readonly kind: 'brought' | 'ignored'; readonly words: string } | null> {
  if (call.isBrought(path)) return { kind: 'brought', words: 'It was copied in from the person\'s checkout or made by setup, so it is never part of your change.' };
  const rule = await call.rules.ignoredBy(path, false);
  if (rule === null || (await call.tracked()).has(path)) return null;
  return { kind: 'ignored', words: `It matches the rule "${rule.pattern}" of ${rule.file}, so it will not be part of your change. If it has to be, write it with write_file and force: true.` };
}
