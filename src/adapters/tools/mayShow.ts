import { looksSecret } from '../../core/tools/secretFiles.ts';
import { filePath } from '../../core/ids.ts';
import type { ToolCall } from './toolCall.ts';

/** Why nothing of a file may be told to a model; null where it may. Of one that was copied in and may hold secrets the person is asked. */
export async function whyNotShown(relative: string, call: ToolCall): Promise<string | null> {
  if (!call.isBrought(relative) || !looksSecret(relative) || await call.mayShow(filePath.parse(relative))) return null;
  return `${relative} was copied in from the person's checkout and may hold secrets. The person does not want it shown. Go on without it.`;
}
