import type { Answer, LedgerEvent, Question } from '../../ledger/events.ts';
import type { Command } from '../commands.ts';
import { accepted, refused, type Decision, type Effect } from '../decision.ts';
import type { Episode, WorldState } from '../state.ts';
import { inPhase } from './precondition.ts';
import { cutOff } from './stop.ts';

/** Which answers a question takes, in the order in which they are offered. */
export function choicesOf(question: Question): readonly Answer['choice'][] {
  switch (question.kind) {
    case 'limit': return ['raise', 'hand-in', 'stop'];
    case 'run': return question.prefix === null ? ['run', 'refuse', 'stop'] : ['run', 'always', 'refuse', 'stop'];
    case 'network': return ['network-registries', 'network-on', 'network-off', 'stop'];
    case 'port': return ['allow', 'refuse', 'stop'];
    case 'secret': return ['show', 'refuse', 'stop'];
    case 'stuck': return ['message', 'hand-in', 'stop'];
    case 'failed': return ['retry', ...(question.also ?? []), 'hand-in', 'stop'];
    case 'interrupted': return ['resume', 'hand-in', 'stop'];
  }
}

export function answer(state: WorldState, command: Extract<Command, { type: 'answer' }>): Decision {
  const found = inPhase(state, command.episode, 'answered', 'asking', 'interrupted');
  if (!found.ok) return refused(found.refusal);
  const { episode } = found;
  const { phase } = episode;
  const question: Question = phase.name === 'asking' ? phase.question : { kind: 'interrupted', since: phase.since, resendTokens: 0, resendUsd: null };
  const { choice } = command.answer;
  if (!choicesOf(question).includes(choice)) {
    return refused({ reason: 'wrong-state', message: `“${choice}” is no answer to what this agent asks now.`, next: 'Look at its row in the Agents view and answer again.' });
  }
  const answered = { type: 'episode.answered', episode: episode.id, answer: command.answer } as const;
  if (choice === 'keep') return endKeeping(episode, answered);
  if (choice === 'stop' || choice === 'hand-in') {
    const why = choice === 'stop' ? 'Stopped by the person before the agent had finished.' : 'Handed in unfinished, by the person’s word.';
    const otherwise = unfinishedAs(question, choice);
    if (episode.worktree === null) return accepted([answered, { type: 'episode.ended', episode: episode.id, outcome: otherwise, words: why }], [{ do: 'halt', episode: episode.id }, { do: 'close', episode: episode.id }]);
    // Not at work again: a crash before the hand-in is done must not let it go on.
    return accepted([answered, ...cutOff(episode)], [{ do: 'halt', episode: episode.id }, { do: 'hand in', episode: episode.id, why, otherwise }]);
  }
  // In the ledger with the answer: neither lost nor told twice, whatever happens between.
  const told: LedgerEvent[] = question.kind === 'stuck' && choice === 'message' ? [{ type: 'episode.message', episode: episode.id, number: (episode.messages.at(-1)?.number ?? 0) + 1, words: command.answer.words }] : [];
  const goOn: Effect = { do: episode.worktree === null ? 'prepare worktree' : 'continue', episode: episode.id };
  if (choice === 'resume') return accepted([{ type: 'episode.resumed', episode: episode.id }], [goOn]);
  const effects: Effect[] = [];
  if (question.kind === 'limit' && (question.limit === 'daily cost' || question.limit === 'daily tokens')) effects.push({ do: 'raise daily cap', episode: episode.id, limit: question.limit });
  // The others stopped the loop, which goes on here.
  if (!isAwaited(question)) effects.push(goOn);
  return accepted([...told, answered], effects);
}

/** Whether a tool call or setup waits for the answer in the middle: then nothing goes on by itself once it is given. */
export function isAwaited({ kind }: Question): boolean {
  return kind === 'run' || kind === 'secret' || kind === 'network' || kind === 'port';
}

/** Ended although nothing could be taken from its worktree: the files stay, and the person is told where. */
function endKeeping(episode: Episode, answered: LedgerEvent): Decision {
  const words = episode.worktree === null ? 'Ended by the person before it had begun.' : `Ended by the person. Its files are kept in ${episode.worktree}; when you no longer need them: git worktree remove --force --force ${JSON.stringify(episode.worktree)}`;
  return accepted([answered, { type: 'episode.ended', episode: episode.id, outcome: 'failed', words, kept: episode.worktree !== null }], [{ do: 'halt', episode: episode.id }, { do: 'close', episode: episode.id }]);
}

/** What an episode ends as when it has nothing to show: what it asked about says why it did not go on. */
function unfinishedAs(question: Question, choice: 'stop' | 'hand-in'): 'cancelled' | 'failed' | 'stuck' | 'out of turns' {
  switch (question.kind) {
    case 'stuck': return 'stuck';
    case 'failed': return choice === 'stop' ? 'cancelled' : 'failed';
    case 'limit': return question.limit === 'turns' ? 'out of turns' : 'cancelled';
    case 'interrupted': case 'run': case 'secret': case 'network': case 'port': return 'cancelled';
  }
}
