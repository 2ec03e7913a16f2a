import type { Candidate } from '../../src/core/candidate/candidate.ts';
import { absolutePath, filePath, moveId, type EpisodeId } from '../../src/core/ids.ts';
import type { Answer, Question } from '../../src/core/ledger/events.ts';
import type { Command } from '../../src/core/world/commands.ts';
import { choicesOf } from '../../src/core/world/deciders/answer.ts';
import { acceptedNumber, standingAccept, type Episode, type Phase, type WorldState } from '../../src/core/world/state.ts';
import { candidate, commit, delegation, evidence, move, PRICED, SURVEY, toMove, TREE, UNKNOWN, UNPRICED, usageOf } from './facts.ts';
import type { Seeded } from './seeded.ts';

const SOURCES: readonly Candidate['source'][] = ['agent', 'agent', 'agent', 'edit', 'edit', 'remade', 'hook', 'allowed', 'dropped'];
const CHOICES: readonly Answer['choice'][] = ['raise', 'hand-in', 'stop', 'run', 'always', 'refuse', 'show', 'message', 'retry', 'resume', 'without-filters', 'keep', 'network-registries', 'network-on', 'network-off', 'allow'];

/**
 * A command that someone could give now: usually one that fits what the world holds, sometimes one that comes late,
 * twice, in the wrong moment or about something that nobody knows.
 */
export function anyCommand(chance: Seeded, state: WorldState, now: number): Command {
  const known = [...state.episodes.keys()];
  if (known.length === 0 || chance.chance(known.length < 3 ? 0.05 : 0.005)) return makers.delegate(chance, state, UNKNOWN, now);
  const episode: EpisodeId = chance.chance(0.02) ? UNKNOWN : chance.oneOf(known);
  const phase = state.episodes.get(episode)?.phase.name;
  const fitting = phase === undefined || chance.chance(0.25) ? Object.values(makers) : FITTING[phase].map((kind) => makers[kind]);
  return chance.oneOf(fitting)(chance, state, episode, now);
}

type Maker = (chance: Seeded, state: WorldState, episode: EpisodeId, now: number) => Command;

const delegate: Maker = (chance) => delegation({ model: chance.oneOf([PRICED, UNPRICED, SURVEY]), limits: { costUsd: 1, freshTokens: 1500, allTokens: 2000, wallMs: 3_600_000, turns: 6, depth: 2, children: 4 } });

const request: Maker = (chance, _state, episode, now) => ({ type: 'request model', episode, at: now, estimate: usageOf({ fresh: chance.between(0, 400), output: chance.between(0, 200) }), usd: chance.between(0, 50) / 100 });

/** An answer uses at most what was reserved for it; now and then it comes again. */
const answered = (type: 'model answered' | 'model failed'): Maker => (chance, state, episode) => {
  const found = state.episodes.get(episode);
  const flying = [...found?.spent.inFlight ?? []];
  const [number, reserved] = flying.length > 0 && chance.chance(0.8) ? chance.oneOf(flying) : [chance.between(1, found?.spent.nextRequest ?? 3), { usage: usageOf({ fresh: 1 }), usd: 0 }];
  const part = chance.next();
  const told = { episode, request: number, usage: usageOf({ fresh: Math.floor(reserved.usage.fresh * part), output: Math.floor(reserved.usage.output * part) }), usd: reserved.usd * part, estimated: chance.chance(0.2) };
  return type === 'model answered' ? { type, ...told } : { type, ...told, words: 'The connection broke.' };
};

const ask: Maker = (chance, _state, episode) => ({ type: 'ask', episode, question: anyQuestion(chance) });

const answer: Maker = (chance, state, episode) => {
  const phase = state.episodes.get(episode)?.phase;
  const offered = phase?.name === 'asking' ? choicesOf(phase.question) : phase?.name === 'interrupted' ? ['resume', 'hand-in', 'stop'] as const : CHOICES;
  return { type: 'answer', episode, answer: { choice: chance.chance(0.9) ? chance.oneOf(offered) : chance.oneOf(CHOICES), words: '' } };
};

const propose: Maker = (chance, state, episode) => {
  const found = state.episodes.get(episode);
  const newest = found?.candidates.at(-1);
  const source = found?.phase.name === 'waiting' ? chance.oneOf(SOURCES.filter((s) => s !== 'agent')) : chance.oneOf(SOURCES);
  const number = chance.chance(0.9) ? (newest?.number ?? 0) + 1 : chance.between(1, 9);
  const replaces = source !== 'edit' || chance.chance(0.5) ? null : chance.chance(0.8) ? newest?.number ?? null : chance.between(1, 9);
  return { type: 'propose', episode, candidate: candidate(replaces !== null && chance.chance(0.7) ? replaces : number, { source }), replaces };
};

const prepareMove: Maker = (chance, state, episode) => {
  const found = state.episodes.get(episode);
  const number = found?.candidates.at(-1)?.number ?? 1;
  const made = [...state.moves.values()].filter((m) => m.prepared.episode === episode).length;
  const id = chance.chance(0.95) ? made + 1 : Math.max(1, made);
  const accept = standingAccept(state, episode);
  const undo = found?.phase.name === 'ended' || (accept !== undefined && chance.chance(0.4));
  const judged = undo ? (accept ? acceptedNumber(accept.prepared) : number) : number;
  const split = { taken: candidate(number + 1, { source: 'taken' }), rest: candidate(number + 2, { source: 'rest' }) };
  const more = undo ? { remade: candidate(number + 1, { source: 'remade' }) } : chance.chance(0.4) ? { split } : {};
  return toMove(move(1, { move: moveId.parse(`${episode}/m${String(id)}`), episode, candidate: chance.chance(0.9) ? judged : chance.between(1, 9), kind: undo ? 'undo' : 'accept', ...more }), chance.chance(0.95) ? (found?.phase.name === 'waiting' ? found.candidates.at(-1)?.commit : undefined) ?? null : commit(77));
};

const moveEnd: Maker = (chance, state, episode) => {
  const open = [...state.moves.values()].filter((m) => m.state.name === 'prepared' || m.state.name === 'unclear');
  const any = [...state.moves.keys()];
  const id = open.length > 0 && chance.chance(0.85) ? chance.oneOf(open).prepared.move : any.length > 0 ? chance.oneOf(any) : moveId.parse(`${episode}/m1`);
  const end = chance.next();
  if (end < 0.6) return { type: 'move done', move: id, tree: TREE };
  return end < 0.85 ? { type: 'move dropped', move: id, words: 'Files have unsaved edits.' } : { type: 'move unclear', move: id, words: 'Neither old nor new.' };
};

const makers = {
  delegate,
  prepared: (chance, _state, episode) => ({ type: 'worktree prepared', episode, worktree: absolutePath.parse('/worktrees/x'), brought: chance.chance(0.5) ? [] : [filePath.parse('.env')], notes: [] }),
  request, answered: answered('model answered'), failed: answered('model failed'),
  ask, answer, propose, prepareMove, moveEnd,
  end: (chance, _state, episode) => ({ type: 'end', episode, outcome: chance.oneOf(['no change', 'failed', 'cancelled', 'out of turns', 'stuck']), words: '' }),
  stop: (_chance, _state, episode) => ({ type: 'stop', episode }),
  cancel: (_chance, _state, episode) => ({ type: 'cancel', episode }),
  message: (chance, _state, episode) => ({ type: 'message', episode, words: chance.chance(0.9) ? 'Cap it at five.' : ' ' }),
  toolRan: (_chance, _state, episode) => ({ type: 'tool ran', episode, name: 'run', ok: true, ms: 10 }),
  look: (chance, state, episode) => ({ type: 'look', episode, number: someNumber(chance, state.episodes.get(episode)) }),
  checkRan: (chance, state, episode) => ({ type: 'check ran', episode, number: someNumber(chance, state.episodes.get(episode)), evidence }),
  reject: (_chance, _state, episode) => ({ type: 'reject', episode, reason: '' }),
  addReason: (_chance, _state, episode) => ({ type: 'add reason', episode, reason: 'Too wide.' }),
  withdraw: (_chance, _state, episode) => ({ type: 'withdraw reject', episode }),
  rework: (_chance, _state, episode) => ({ type: 'rework', episode, words: 'Again.', editedByPerson: [], madeAgain: null }),
  publish: (_chance, _state, episode) => ({ type: 'publish', episode, remote: 'origin' }),
  recover: (_chance, _state, _episode, now) => ({ type: 'recover', at: now }),
} as const satisfies Record<string, Maker>;

/** What fits each phase, more of what it is mostly about. */
const FITTING: Record<Phase['name'], readonly (keyof typeof makers)[]> = {
  preparing: ['prepared', 'prepared', 'prepared', 'ask', 'message', 'stop', 'end'],
  running: ['request', 'request', 'request', 'answered', 'answered', 'answered', 'failed', 'failed', 'toolRan', 'ask', 'propose', 'propose', 'message', 'cancel', 'stop', 'recover'],
  asking: ['answer', 'answer', 'answer', 'message', 'stop', 'propose', 'recover'],
  interrupted: ['answer', 'answer', 'propose', 'answered', 'ask', 'end'],
  waiting: ['prepareMove', 'prepareMove', 'rework', 'rework', 'rework', 'reject', 'propose', 'look', 'checkRan'],
  judging: ['moveEnd', 'moveEnd', 'moveEnd', 'recover'],
  ended: ['prepareMove', 'withdraw', 'addReason', 'look', 'publish'],
};

function someNumber(chance: Seeded, episode: Episode | undefined): number {
  const numbers = episode?.candidates.map((c) => c.number) ?? [];
  return numbers.length > 0 && chance.chance(0.9) ? chance.oneOf(numbers) : chance.between(1, 9);
}

function anyQuestion(chance: Seeded): Question {
  return chance.oneOf<Question>([
    { kind: 'limit', limit: chance.oneOf(['cost', 'fresh tokens', 'tokens', 'turns', 'time', 'daily cost', 'daily tokens']), used: 1, cap: 1 },
    { kind: 'run', command: 'npm test', prefix: ['npm', 'test'], purpose: 'agent' }, { kind: 'run', command: 'a && b', prefix: null, purpose: 'setup' },
    { kind: 'secret', path: filePath.parse('.env') }, { kind: 'stuck', call: 'run {}', times: 5 }, { kind: 'failed', words: 'The server is not there.' },
  ]);
}
