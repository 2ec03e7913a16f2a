import type { ChangedFile } from '../../core/candidate/candidate.ts';
import type { FilePart } from '../../core/projections/fileRows.ts';
import type { FolderPath } from '../../core/ids.ts';
import type { OpenWorld } from '../../runtime/openWorld.ts';
import type { Agent } from '../worlds.ts';

/** What a row stands for: what the commands in it are about. */
export type RowSubject =
  | { readonly kind: 'change'; readonly agent: Agent; readonly candidate: number }
  | { readonly kind: 'file'; readonly agent: Agent; readonly candidate: number; readonly file: ChangedFile; readonly part: FilePart }
  | { readonly kind: 'outside'; readonly agent: Agent; readonly candidate: number; readonly files: readonly ChangedFile[] }
  | { readonly kind: 'notice'; readonly agent: Agent }
  | { readonly kind: 'agent'; readonly agent: Agent }
  | { readonly kind: 'world'; readonly world: OpenWorld; readonly folder: FolderPath };

/** The subject of a command's first argument, where that is a row of ours. */
export function subjectOf(argument: unknown): RowSubject | undefined {
  if (typeof argument !== 'object' || argument === null || !('subject' in argument)) return undefined;
  const { subject } = argument as { readonly subject: RowSubject };
  return subject;
}
