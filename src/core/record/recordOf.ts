import type { Candidate } from '../candidate/candidate.ts';
import { pricesOf, modelName, type ModelRef } from '../episode/model.ts';
import type { Episode, Move, WorldState } from '../world/state.ts';
import { RECORD_VERSION, type EpisodeRecord } from './episodeRecord.ts';

/**
 * What is kept of an agent beside its commits, for another clone or a ledger that was lost; null while it is at work or
 * its verdict is under way. Nothing of the machine is in it: no path, no address of a model, no output of a command.
 */
export function recordOf(state: Pick<WorldState, 'moves'>, episode: Episode, writer: string): EpisodeRecord | null {
  const { phase, id, parent, world, target, role, startedAt, reworked, spent } = episode;
  if (phase.name !== 'waiting' && phase.name !== 'ended') return null;
  return {
    v: RECORD_VERSION, id, writer, parent, world, target, role, model: recordedModel(episode.model), startedAt, phase, reworked,
    spent: { usage: spent.usage, usd: spent.usd, estimated: spent.estimated, turns: spent.turns, wallMs: spent.wallMs },
    candidates: episode.candidates.map(recordedCandidate),
    evidence: episode.evidence.map(({ number, evidence: { constraint, run, required, tree, result, exitCode, ms }, tip, at }) => ({ number, constraint, run, required, tree, result, exitCode, ms, tip, at })),
    moves: [...state.moves.values()].flatMap((move) => recordedMove(episode, move)),
  };
}

function recordedModel(model: ModelRef): EpisodeRecord['model'] {
  if (model.kind === 'survey') return { kind: 'survey' };
  const known = pricesOf(model);
  return { kind: 'elsewhere', name: modelName(model), prices: known.known ? known.prices : null };
}

function recordedCandidate({ number, commit, base, source, subject, report, outside, outsideCommit, ignored, flags }: Candidate): EpisodeRecord['candidates'][number] {
  return {
    number, commit, base, source, subject, report, outside: outside.map((f) => f.path), outsideCommit, ignored,
    nestedRepositories: flags.flatMap((flag) => (flag.kind === 'nested-repository' ? flag.files : [])),
    insideSubmodules: flags.flatMap((flag) => (flag.kind === 'inside-submodule' ? flag.files : [])),
  };
}

function recordedMove(episode: Episode, { prepared, at, state }: Move): EpisodeRecord['moves'] {
  if (prepared.episode !== episode.id || state.name !== 'done') return [];
  const { move, candidate, kind, target, ref, old, override, split } = prepared;
  return [{ move, candidate, kind, target, ref, old, new: prepared.new, tree: state.tree, override, at, doneAt: state.at, split: split ? { taken: split.taken.number, rest: split.rest.number } : null }];
}
