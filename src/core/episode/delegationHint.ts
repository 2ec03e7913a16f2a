import type { FolderPath } from '../ids.ts';
import { delegationHintText } from '../prompt/hostMessages.ts';
import { childOf } from '../paths.ts';
import type { Conversation } from './conversation.ts';
import type { Circumstances, Step } from './step.ts';
import { NO_TOUCHES, type Touches } from './touches.ts';

/** Calls into one direct child folder after which it is proposed to delegate it; as the published harness counts them. */
const MANY_WRITES = 5;
const MANY_READS = 8;

/** Who may delegate and works in a child folder again and again is told once for each that it can be handed on. */
export function delegationHint({ touched, hinted }: Conversation, { mayDelegate, folder }: Circumstances): Step | null {
  if (!mayDelegate) return null;
  for (const [child, { reads, writes }] of inChildren(touched, folder)) {
    if (hinted.has(child) || (writes < MANY_WRITES && reads < MANY_READS)) continue;
    return { do: 'say', text: delegationHintText(child, writes >= MANY_WRITES ? { kind: 'written', times: writes } : { kind: 'read', times: reads }), hint: child };
  }
  return null;
}

function inChildren(touched: Conversation['touched'], folder: FolderPath): ReadonlyMap<FolderPath, Touches> {
  const children = new Map<FolderPath, Touches>();
  for (const [file, { reads, writes }] of touched) {
    const child = childOf(folder, file);
    if (child === null) continue;
    const sum = children.get(child) ?? NO_TOUCHES;
    children.set(child, { reads: sum.reads + reads, writes: sum.writes + writes });
  }
  return children;
}
