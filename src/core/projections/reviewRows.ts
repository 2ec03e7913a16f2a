import { candidateFiles, type Candidate, type CandidateFlag } from '../candidate/candidate.ts';
import { shownCandidate } from '../candidate/shownCandidate.ts';
import { failsTogether } from '../candidate/failsTogether.ts';
import type { Foreseen } from '../candidate/foreseen.ts';
import type { Retention } from '../candidate/retention.ts';
import { shortCommit, shortEpisode, type EpisodeId, type FilePath, type FolderPath, type MoveId } from '../ids.ts';
import type { Line } from '../ledger/events.ts';
import { baseName, displayFolder } from '../paths.ts';
import { currentCandidate, standingAccept, standingAccepts, type Episode, type WorldState } from '../world/state.ts';
import { age, count, oneLine } from './amounts.ts';
import { checkSummary, resultWords, type CheckState } from './checkWords.ts';
import { costWords, lineName, outcomeWords, retentionWords, stateWords } from './episodeWords.ts';
import { candidateRows, fileRow, linesWords, type FileRow } from './fileRows.ts';

/** One proposed change in Review: it waits, or was decided today. */
export interface ReviewRow {
  readonly episode: EpisodeId;
  readonly candidate: number;
  readonly folder: FolderPath;
  readonly status: ReviewStatus;
  readonly label: string;
  readonly description: string;
  /** One line each, for the tooltip. */
  readonly facts: readonly string[];
  readonly check: CheckState;
  readonly files: readonly FileRow[];
  /** Changes outside the folder that the person has neither let in nor dropped. */
  readonly outside: readonly FileRow[];
  readonly notices: readonly string[];
  /** True where an older candidate was opened than the one that waits: *Changes since I looked* shows something. */
  readonly lookedBefore: boolean;
  /** True where the line holds some files of it already, which can be taken back. */
  readonly partly: boolean;
  /** True where it passes its checks alone and fails them together with its line. */
  readonly together: boolean;
}

type ReviewStatus = 'waiting' | 'judging' | 'accepted' | 'rejected' | 'decided';

export interface ReviewContext {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Local midnight of today, milliseconds since the epoch: decided changes since then are shown. */
  readonly today: number;
  readonly live: (episode: EpisodeId) => string | undefined;
  /** Undefined where not known yet. */
  readonly foreseen: (episode: EpisodeId) => Foreseen | undefined;
  readonly retention: (accept: MoveId) => Retention | undefined;
}

/** What waits, oldest first, then what was decided today, newest first. */
export function reviewRows(state: WorldState, context: ReviewContext): ReviewRow[] {
  const waiting: [number, ReviewRow][] = [];
  const decided: [number, ReviewRow][] = [];
  for (const episode of state.episodes.values()) {
    const candidate = currentCandidate(episode);
    if (!candidate) continue;
    const { phase } = episode;
    if (phase.name === 'waiting') waiting.push([phase.since, row(state, episode, candidate, 'waiting', phase.since, context)]);
    else if (phase.name === 'judging') waiting.push([phase.before.name === 'waiting' ? phase.before.since : phase.before.at, row(state, episode, candidate, 'judging', episode.changedAt, context)]);
    else if (phase.name === 'ended' && phase.at >= context.today) decided.push([phase.at, row(state, episode, candidate, decidedStatus(state, episode), phase.at, context)]);
  }
  return [...waiting.toSorted(([a], [b]) => a - b), ...decided.toSorted(([a], [b]) => b - a)].map(([, r]) => r);
}

/** How many changes wait for the person: the badge's number. */
export function waitingCount(state: WorldState): number {
  let waiting = 0;
  for (const { phase } of state.episodes.values()) if (phase.name === 'waiting') waiting += 1;
  return waiting;
}

/**
 * What *Changes since I looked* compares with: the candidate that was opened last, with what the person did to it since.
 * Undefined where nothing but the person's own edits came after it.
 */
export function lookedCandidate(episode: Episode): Candidate | undefined {
  const current = currentCandidate(episode);
  if (!current || episode.looked === null) return undefined;
  const looked = shownCandidate(episode, episode.looked);
  return looked && looked.number < current.number ? looked : undefined;
}

function decidedStatus(state: WorldState, episode: Episode): ReviewStatus {
  if (episode.phase.name !== 'ended') return 'decided';
  switch (episode.phase.outcome) {
    case 'retained': return standingAccept(state, episode.id) ? 'accepted' : 'decided';
    case 'rejected': return 'rejected';
    case 'no change': case 'not integrated': case 'rewritten': case 'failed': case 'cancelled': case 'out of turns': case 'stuck': return 'decided';
  }
}

function row(state: WorldState, episode: Episode, candidate: Candidate, status: ReviewStatus, since: number, context: ReviewContext): ReviewRow {
  const check = checkSummary(episode, candidate);
  const folder = displayFolder(episode.world.path);
  const all = candidateFiles(candidate);
  const foreseen = status === 'waiting' ? context.foreseen(episode.id) : undefined;
  const behind = foreseen?.behind ?? 0;
  const together = status === 'waiting' ? failsTogether(episode, candidate) : null;
  const togetherWords = together === null ? '' : `passes alone, fails together with ${lineName(episode.target)} at ${shortCommit(together.tip)}`;
  const conflicts = foreseen === undefined ? [] : conflictWords(foreseen, episode.target);
  const undecided = status === 'waiting' || status === 'judging' ? candidate.outside : [];
  const partly = status !== 'accepted' && status !== 'judging' && standingAccept(state, episode.id) !== undefined;
  const words = statusWords(state, episode, status, context);
  const description = [
    words,
    linesWords(all),
    status !== 'waiting' ? '' : togetherWords === '' ? check.words : togetherWords,
    ...conflicts,
    status === 'waiting' && undecided.length > 0 ? `${undecided.length} outside` : '',
    costWords(episode),
    age(since, context.now),
    behind > 0 ? `${count(behind, 'commit')} behind` : '',
  ].filter((part) => part !== '').join(' · ');
  return {
    episode: episode.id,
    candidate: candidate.number,
    folder: episode.world.path,
    status,
    label: `${folder}: ${partly && status === 'waiting' ? 'rest of ' : ''}${oneLine(candidate.subject, 100)}`,
    description,
    check: check.state,
    files: candidateRows(candidate, episode.world.path),
    outside: undecided.map((f) => fileRow(f, 'outside', episode.world.path)),
    notices: notices(candidate),
    lookedBefore: lookedCandidate(episode) !== undefined,
    partly,
    together: together !== null,
    facts: [
      candidate.subject,
      ...(partly ? [`The rest of a change: ${acceptedParts(state, episode, context)}`] : []),
      `${folder} at ${episode.world.commit.slice(0, 7)}, for ${lineName(episode.target)}`,
      `${count(all.length, 'file')} ${linesWords(all)}`.trim(),
      ...check.evidence.map((e) => `${e.constraint}: ${resultWords(e)}`),
      ...(check.evidence.length === 0 ? [check.words] : []),
      ...(togetherWords === '' ? [] : [`${togetherWords}: ${together?.constraint ?? ''}`]),
      ...conflicts,
      ...(behind > 0 ? [`${lineName(episode.target)} has moved on by ${count(behind, 'commit')}`] : []),
    ],
  };
}

function statusWords(state: WorldState, episode: Episode, status: ReviewStatus, context: ReviewContext): string {
  const taken = acceptedParts(state, episode, context);
  if (status === 'waiting') return context.live(episode.id) ?? taken;
  if (status === 'judging') return stateWords(episode, context.live(episode.id));
  if (status === 'accepted') {
    const accepted = standingAccept(state, episode.id);
    const now = accepted && retentionWords(accepted, context.retention(accepted.prepared.move));
    return accepted ? [`accepted onto ${lineName(accepted.prepared.target)} as ${shortCommit(accepted.prepared.new)}`, now, taken].filter((part) => part !== undefined && part !== '').join(' · ') : 'accepted';
  }
  if (episode.phase.name !== 'ended') return '';
  const outcome = episode.phase.words === '' ? outcomeWords(episode.phase.outcome) : `${outcomeWords(episode.phase.outcome)}: ${oneLine(episode.phase.words, 80)}`;
  return taken === '' ? outcome : `the rest ${outcome} · ${taken}`;
}

/** `2 files accepted as 1a2b3c4`, for each accept that took some files; empty where none did. */
function acceptedParts(state: WorldState, episode: Episode, context: ReviewContext): string {
  return standingAccepts(state, episode.id).flatMap((accept) => {
    const { split, new: commit, move } = accept.prepared;
    if (!split) return [];
    return [[`${count(candidateFiles(split.taken).length, 'file')} accepted as ${shortCommit(commit)}`, retentionWords(accept, context.retention(move))].filter((part) => part !== '').join(', ')];
  }).join(' · ');
}

/** `conflicts with main in 2 files`, `conflicts with e4: server.ts`. */
function conflictWords({ conflicts, others }: Foreseen, target: Line): string[] {
  const words = (name: string, files: readonly FilePath[]) => `conflicts with ${name}${files.length === 1 ? `: ${files.map(baseName).join('')}` : ` in ${count(files.length, 'file')}`}`;
  const [first, ...more] = others;
  return [
    ...(conflicts.length === 0 ? [] : [words(lineName(target), conflicts)]),
    ...(first === undefined ? [] : [`${words(shortEpisode(first.episode), first.files)}${more.length === 0 ? '' : ` and with ${count(more.length, 'more change')}`}`]),
  ];
}

function notices(candidate: Candidate): string[] {
  return [
    ...candidate.flags.map(flagWords),
    ...(candidate.ignored.length > 0 ? [`Left out, because an ignore rule matches: ${candidate.ignored.join(', ')}`] : []),
  ];
}

export function flagWords(flag: CandidateFlag): string {
  switch (flag.kind) {
    case 'touches-checks': return `Touches what checks it: ${flag.files.join(', ')}`;
    case 'nested-repository': return `Made a repository inside the worktree, which is left out: ${flag.files.join(', ')}`;
    case 'inside-submodule': return `Left in submodules, which are repositories of their own, so not in the change: ${flag.files.join(', ')}`;
    case 'symlink-leaves-scope': return `A symbolic link leads out of the folder: ${flag.files.join(', ')}`;
  }
}
