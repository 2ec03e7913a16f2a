import { episodeId } from '../../ids.ts';
import type { Command } from '../commands.ts';
import { accepted, refused, type Decision } from '../decision.ts';
import type { WorldState } from '../state.ts';
import { inPhase } from './precondition.ts';

/** A person delegates a folder: the episode exists from here on, also when its worktree cannot be made. */
export function delegate(state: WorldState, command: Extract<Command, { type: 'delegate' }>): Decision {
  let number = state.nextEpisode;
  // A record can bring an agent under any number, also one that this ledger was still to give.
  while (state.episodes.has(episodeId.parse(`e${number}-${command.tag}`))) number += 1;
  const episode = episodeId.parse(`e${number}-${command.tag}`);
  const { world, target, goal, role, model, limits, uncommittedElsewhere, configWarnings } = command;
  return accepted(
    [{ type: 'episode.started', episode, parent: null, world, target, goal, role, model, limits, uncommittedElsewhere, ...(configWarnings.length === 0 ? {} : { configWarnings: [...configWarnings] }) }],
    [{ do: 'prepare worktree', episode }],
  );
}

export function worktreePrepared(state: WorldState, command: Extract<Command, { type: 'worktree prepared' }>): Decision {
  const found = inPhase(state, command.episode, 'started', 'preparing', 'running');
  if (!found.ok) return refused(found.refusal);
  return accepted(
    [{ type: 'episode.prepared', episode: command.episode, worktree: command.worktree, brought: [...command.brought], notes: [...command.notes] }],
    [{ do: 'continue', episode: command.episode }],
  );
}
