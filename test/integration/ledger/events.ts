import { commitId, episodeId, folderPath, refName, type EpisodeId } from '../../../src/core/ids.ts';
import type { LedgerEvent } from '../../../src/core/ledger/events.ts';
import { DELEGATION_LIMITS } from '../../../src/core/limits/limits.ts';

/** The id of the n-th episode of a ledger with this tag. */
export function episode(n: number, tag = 'k3f9'): EpisodeId {
  return episodeId.parse(`e${String(n)}-${tag}`);
}

export function started(n: number, goal = 'Mend the parser'): LedgerEvent {
  return {
    type: 'episode.started', episode: episode(n), parent: null, world: { commit: commitId.parse('3f9a21c0'.repeat(5)), path: folderPath.parse('packages/api') },
    target: { kind: 'branch', ref: refName.parse('refs/heads/main') }, goal, role: 'executor', model: { kind: 'survey' }, limits: DELEGATION_LIMITS, uncommittedElsewhere: 0,
  };
}

/** A small fact that can be told from every other by its two numbers. */
export function ran(n: number, ms: number): LedgerEvent {
  return { type: 'tool.ran', episode: episode(n), name: 'read_file', ok: true, ms };
}
