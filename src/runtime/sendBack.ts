import { failsTogether } from '../core/candidate/failsTogether.ts';
import type { Retention } from '../core/candidate/retention.ts';
import type { ModelRef } from '../core/episode/model.ts';
import type { EpisodeId, MoveId } from '../core/ids.ts';
import { lineName } from '../core/projections/episodeWords.ts';
import { reworkMessage } from '../core/prompt/hostMessages.ts';
import { Refused } from '../core/refusal.ts';
import type { Command } from '../core/world/commands.ts';
import { acceptedFiles } from '../core/world/heldAccepts.ts';
import { currentCandidate, newestCommit } from '../core/world/state.ts';
import type { Acceptance } from './acceptance/acceptance.ts';
import { editedByPerson } from './edits.ts';
import type { EpisodeWork } from './episodeWork.ts';
import type { PreparedWorktree } from './ports/worktrees.ts';
import type { Proposals } from './proposals.ts';
import type { WorldLog } from './worldLog.ts';

export interface SendBackParts {
  readonly log: WorldLog;
  readonly work: EpisodeWork;
  readonly proposals: Proposals;
  readonly acceptance: Acceptance;
  readonly retention: (accept: MoveId) => Retention | undefined;
}

/** Rework: the waiting change's files in its agent's worktree, the person's words in its conversation, then the fact. */
export function sendBack(id: EpisodeId, words: SentBack, parts: SendBackParts): Promise<void> {
  return parts.work.keepingWorktree(id, () => send(id, words, parts));
}

interface SentBack {
  readonly words: string;
  readonly model: ModelRef | undefined;
}

async function send(id: EpisodeId, { words, model }: SentBack, { log, work, proposals, acceptance, retention }: SendBackParts): Promise<void> {
  // Without a worktree it never worked here: there is no conversation to add to, and it begins one of its own.
  if (log.episode(id).worktree === null) return proposals.alone(id, () => rework(log, id, { words, model }, null));
  const waiting = currentCandidate(log.episode(id));
  const together = waiting ? failsTogether(log.episode(id), waiting) : null;
  const ontoTip = together === null ? null : await acceptance.ontoTip(id);
  let made: PreparedWorktree | null = null;
  for (let sent = false; !sent;) {
    const prepared = await work.prepareRework(id);
    made = prepared.made ?? made;
    // Between two saves: what was saved while the worktree was made ready has to get into it first.
    sent = await proposals.alone(id, async () => {
      const episode = log.episode(id);
      if (newestCommit(episode) !== prepared.commit) return false;
      const edited = editedByPerson(episode);
      // Of two clicks one is refused: its words must not stand in the conversation by then.
      if (episode.phase.name === 'waiting') await work.say(id, reworkMessage(words, { edited, accepted: acceptedFiles(log.state, episode, retention), together: together && { ...together, line: lineName(episode.target), ontoTip }, madeAgain: made && made.notes }));
      await rework(log, id, { words, model }, made && { worktree: made.path, brought: made.brought, notes: made.notes });
      return true;
    });
  }
}

async function rework(log: WorldLog, id: EpisodeId, { words, model }: SentBack, madeAgain: Extract<Command, { type: 'rework' }>['madeAgain']): Promise<void> {
  const told = await log.dispatch({ type: 'rework', episode: id, words, editedByPerson: editedByPerson(log.episode(id)), madeAgain, ...(model === undefined ? {} : { model }) });
  if (!told.ok) throw new Refused(told.refusal);
}
