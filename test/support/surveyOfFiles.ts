import type { CommitId, FolderPath } from '../../src/core/ids.ts';
import { DELEGATION_LIMITS } from '../../src/core/limits/limits.ts';
import { firstMessages } from '../../src/core/prompt/firstMessages.ts';
import { surveyGoal } from '../../src/core/roles.ts';
import { surveyReply } from '../../src/core/survey/survey.ts';
import { playOnFiles, type Played } from './literalTools.ts';

/** Surveys a folder of files that are given as text, from its first message to its finish. */
export function survey(files: Readonly<Record<string, string>>, folder = '', answer: ((name: string, args: Record<string, unknown>) => string | null) | null = null, turns = 128): Played {
  const first = firstMessages({ facts: { name: 'repository', topLevelFolders: [], languages: [], commands: [] }, chain: [], role: 'surveyor', world: { commit: 'a'.repeat(40) as CommitId, path: folder as FolderPath }, limits: { ...DELEGATION_LIMITS, turns }, goal: surveyGoal(folder as FolderPath), notes: [] });
  return playOnFiles(surveyReply, first, new Map(Object.entries(files)), answer ?? undefined);
}
