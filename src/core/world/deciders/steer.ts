import { shortEpisode } from '../../ids.ts';
import type { Command } from '../commands.ts';
import { accepted, refused, type Decision } from '../decision.ts';
import type { WorldState } from '../state.ts';
import { inPhase } from './precondition.ts';
import { stop } from './stop.ts';

/** A word to an agent that is not done: the ledger keeps it until its loop comes to tell the model, at its next turn. */
export function message(state: WorldState, { episode: id, words }: Extract<Command, { type: 'message' }>): Decision {
  const known = state.episodes.get(id);
  if (known?.phase.name === 'waiting') return refused({ reason: 'wrong-state', message: `Agent ${shortEpisode(id)} is done: its proposed change waits for your verdict.`, next: 'Send the change back with Rework, and say there what should be different.' });
  const found = inPhase(state, id, 'sent a message', 'preparing', 'running', 'asking', 'interrupted');
  if (!found.ok) return refused(found.refusal);
  const { episode } = found;
  if (episode.model.kind === 'survey') return refused({ reason: 'wrong-state', message: 'A survey works by fixed rules: there is no model that could read a message.', next: 'Let it finish and edit what it proposes, or delegate the folder with a goal.' });
  if (words.trim() === '') return refused({ reason: 'wrong-state', message: 'The message is empty.', next: 'Say what the agent should know or do differently.' });
  return accepted([{ type: 'episode.message', episode: id, number: (episode.messages.at(-1)?.number ?? 0) + 1, words }]);
}

/**
 * The person lets an agent come to an end: what runs is not cut off, and it gets one more turn for what is worth keeping.
 * One that has not begun has nothing to bring to an end. Asked twice is asked once.
 */
export function cancel(state: WorldState, command: Extract<Command, { type: 'cancel' }>): Decision {
  if (state.episodes.get(command.episode)?.phase.name === 'preparing') return stop(state, { type: 'stop', episode: command.episode });
  const found = inPhase(state, command.episode, 'asked to finish up', 'running');
  if (!found.ok) return refused(found.refusal);
  return accepted(found.episode.cancelling ? [] : [{ type: 'episode.cancelling', episode: command.episode }]);
}
