import { shortEpisode } from '../../ids.ts';
import type { Refusal } from '../../refusal.ts';
import type { Command } from '../commands.ts';
import { accepted, refused, type Decision } from '../decision.ts';
import type { Episode, WorldState } from '../state.ts';
import { cannot, inPhase } from './precondition.ts';

/** What another clone recorded of an agent. One that is at work here, or went another way here, is left as it is. */
export function importEpisode(state: WorldState, { imported }: Extract<Command, { type: 'import' }>): Decision {
  const known = state.episodes.get(imported.id);
  const event = { type: 'episode.imported', imported } as const;
  if (!known) return accepted([event]);
  if (known.phase.name !== 'waiting' && known.phase.name !== 'ended') return refused(cannot(known, 'brought up to another clone’s record'));
  const anotherChange = known.candidates.some((c) => imported.candidates.some((t) => t.number === c.number && t.commit !== c.commit));
  const newerHere = imported.phase.name === 'waiting' && (known.candidates.at(-1)?.number ?? 0) > imported.phase.candidate;
  const anotherMove = imported.moves.some(({ prepared }) => {
    const move = state.moves.get(prepared.move);
    return move?.state.name === 'done' && move.prepared.new !== prepared.new;
  });
  if (anotherChange || anotherMove || newerHere) return refused(anotherWay(known));
  // A verdict that was given elsewhere leaves nothing to do for a worktree here.
  return accepted([event], imported.phase.name === 'ended' ? [{ do: 'close', episode: known.id }] : []);
}

export function publish(state: WorldState, { episode, remote }: Extract<Command, { type: 'publish' }>): Decision {
  const found = inPhase(state, episode, 'published', 'waiting', 'ended');
  return found.ok ? accepted([{ type: 'episode.published', episode, remote }]) : refused(found.refusal);
}

function anotherWay({ id }: Episode): Refusal {
  return { reason: 'wrong-state', message: `The history of agent ${shortEpisode(id)} went another way in the other clone.`, next: 'It stays here as it is. Compare the two clones, and decide in one of them only.' };
}
