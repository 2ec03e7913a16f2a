import { candidateFiles, type Candidate } from '../core/candidate/candidate.ts';
import { commitMessage } from '../core/candidate/commitMessage.ts';
import { withEvidence } from '../core/candidate/evidenceTrailer.ts';
import { changedPaths } from '../core/candidate/scope.ts';
import type { Evidence } from '../core/constraints/constraint.ts';
import { modelName } from '../core/episode/model.ts';
import { moveId, refName, shortCommit, type AbsolutePath, type CommitId, type MoveId, type RefName, type TreeId } from '../core/ids.ts';
import type { Line, PreparedMove } from '../core/ledger/events.ts';
import { lineName } from '../core/projections/episodeWords.ts';
import { Refused, type Refusal } from '../core/refusal.ts';
import { candidateOf, standingAccept, type Episode, type Move } from '../core/world/state.ts';
import type { Accepted, AcceptPlan, AcceptRequest } from './openWorld.ts';
import { offeredChecks, passedOnce } from './foundCommands.ts';
import { coveringConstraints, knownResult, passGate } from './gate.ts';
import type { CheckRequest } from './ports/checks.ts';
import type { Head } from './ports/repository.ts';
import type { WorldPorts } from './ports/worldPorts.ts';
import type { Proposals } from './proposals.ts';
import { rulesAt } from './rules.ts';
import type { WorldLog } from './worldLog.ts';

/** How often an accept starts over because the person moved the line between its merge and its lock. */
const MOVED_MEANWHILE = 5;

/** Holds a merged tree while it is checked: a check worktree is set to a commit. */
const MERGED_REF = refName.parse('refs/worldtree/scratch/merged');

interface MoveRequest {
  readonly kind: 'accept' | 'undo';
  readonly episode: Episode;
  readonly candidate: number;
  /** The commit that an accept takes; null for an undo. */
  readonly judged: CommitId | null;
  readonly target: Line;
  readonly ref: RefName | 'HEAD';
  /** Null where the move makes the branch. */
  readonly old: CommitId | null;
  readonly new: CommitId;
  /** What `new` is compared with for the paths that change. */
  readonly tip: CommitId;
  readonly override: string | null;
}

interface MoveOptions {
  readonly signal: AbortSignal;
  /** Files with unsaved changes in the editor, asked for at the moment of the look. */
  readonly unsaved: () => Promise<readonly AbsolutePath[]>;
}

/** Accept and undo, one at a time in a repository. ARCHITECTURE.md says in which order a line moves, and why. */
export class Acceptance {
  readonly #ports: WorldPorts;
  readonly #log: WorldLog;
  readonly #proposals: Proposals;
  readonly #mayRun: CheckRequest['mayRun'];
  #queue: Promise<unknown> = Promise.resolve();

  constructor(ports: WorldPorts, log: WorldLog, proposals: Proposals, mayRun: CheckRequest['mayRun']) {
    this.#ports = ports;
    this.#log = log;
    this.#proposals = proposals;
    this.#mayRun = mayRun;
  }

  async plan(episode: Episode): Promise<AcceptPlan> {
    const { repository, checks } = this.#ports;
    if (episode.phase.name === 'judging') {
      await this.#inTurn(() => this.#settleLeft(episode.id));
      return this.plan(this.#settled(episode.id));
    }
    const candidate = waitingCandidate(episode);
    const head = await repository.head();
    const tip = await this.#tipForBranch(episode.target, head);
    const merge = await this.#ports.candidates.merge(candidate.base, tip, candidate.commit);
    const covering = await coveringConstraints(repository, episode.world.commit, tip, candidateFiles(candidate));
    const known = await Promise.all(covering.constraints.map(async (constraint) => {
      const evidence = merge.kind === 'clean' ? await knownResult(this.#log.state, checks, merge.tree, constraint, covering.setup) : null;
      return { name: constraint.name, required: constraint.required, known: evidence?.result === 'passed' ? 'passed' as const : evidence ? 'failed' as const : 'not run' as const };
    }));
    return {
      episode: episode.id, candidate: candidate.number, target: episode.target, head, tip,
      behind: await repository.commitsBetween(candidate.base, tip),
      message: messageOf(episode, candidate),
      merged: merge.kind === 'clean' ? { kind: 'clean' } : { kind: 'conflict', files: merge.files },
      checks: known, unchecked: covering.unchecked,
      found: covering.unchecked && merge.kind === 'clean' ? await offeredChecks(this.#ports, this.#log.state, { candidate, tip, tree: merge.tree, setup: covering.setup }) : [],
      undecidedOutside: candidate.outside.map((f) => f.path),
    };
  }

  accept(request: AcceptRequest): Promise<Accepted> {
    return this.#inTurn(async () => {
      await this.#settleLeft(request.episode);
      return this.#accept(request);
    });
  }

  async #accept(request: AcceptRequest): Promise<Accepted> {
    for (let attempt = 1; ; attempt++) {
      const episode = this.#log.episode(request.episode);
      const candidate = waitingCandidate(episode, request.candidate);
      if (candidate.outside.length > 0) throw new Refused({ reason: 'outside-scope', message: `The change has ${candidate.outside.length} files outside its folder that nobody has decided about.`, next: 'Allow them or drop them first.', files: candidate.outside.map((f) => f.path) });
      const head = await this.#ports.repository.head();
      const target: Line = request.to.kind === 'line' ? episode.target : { kind: 'branch', ref: request.to.ref };
      const tip = request.to.kind === 'line' ? await this.#tipOf(episode.target, head) : await this.#tipForBranch(episode.target, head);
      const { tree, transplanted } = await this.#merged(candidate, tip, request.progress);
      const evidence = await this.#checked(request, episode, candidate, tip, tree);
      const message = await this.#hooked(request, tip, tree, withEvidence(request.message, evidence));
      request.progress(`accepting onto ${lineName(target)}`);
      const parents = await this.#parents(tip, candidate, transplanted);
      const commit = await this.#ports.lines.commitAsPerson({ tree, parents, message }, request.signal);
      const ref = request.to.kind === 'new-branch' ? request.to.ref : refOf(episode.target);
      const old = request.to.kind === 'new-branch' ? null : tip;
      const moved = await this.#move({ kind: 'accept', episode, candidate: candidate.number, judged: candidate.commit, target, ref, old, new: commit, tip, override: request.override }, request);
      if (moved.kind === 'refused' && moved.refusal.reason === 'branch-moved' && attempt < MOVED_MEANWHILE) continue;
      if (moved.kind === 'refused') throw new Refused(moved.refusal);
      return { commit, target, transplanted, filesUpdatedIn: moved.checkouts };
    }
  }

  undo(episode: Episode, options: MoveOptions): Promise<CommitId> {
    return this.#inTurn(async () => {
      await this.#settleLeft(episode.id);
      return this.#undo(this.#log.episode(episode.id), options);
    });
  }

  async #undo(episode: Episode, options: MoveOptions): Promise<CommitId> {
    const { repository, candidates, lines } = this.#ports;
    const accept = standingAccept(this.#log.state, episode.id);
    if (!accept) throw new Refused({ reason: 'wrong-state', message: 'There is no accept of this agent to undo.', next: 'It may have been undone already.' });
    const { prepared } = accept;
    const tip = await this.#tipOf(prepared.target, await repository.head(), 'Take the change back by hand with git revert, where it is still held.');
    const before = await this.#before(prepared);
    // The accepted commit is the base, what stood before it is theirs: exactly that change is taken back, later ones stay.
    const merge = await candidates.merge(prepared.new, tip, before);
    if (merge.kind === 'conflict') throw new Refused({ reason: 'conflict', message: 'The accept cannot be taken back by itself: later commits changed the same places.', next: 'Undo the later accepts first, or edit these files by hand.', files: merge.files });
    const tipTree = await repository.treeOf(tip);
    if (merge.tree === tipTree) throw new Refused({ reason: 'nothing-to-accept', message: `${lineName(prepared.target)} no longer holds this change: there is nothing to take back.`, next: 'It may have been reverted or removed by hand.' });
    const subject = episode.candidates.find((c) => c.number === prepared.candidate)?.subject ?? episode.goal;
    const message = `Undo: ${subject}\n\nTakes back ${shortCommit(prepared.new)}.\n\nWorldtree-Episode: ${episode.id}\n`;
    const commit = await lines.commitAsPerson({ tree: merge.tree, parents: [tip], message }, options.signal);
    const moved = await this.#move({ kind: 'undo', episode, candidate: prepared.candidate, judged: null, target: prepared.target, ref: prepared.ref, old: tip, new: commit, tip, override: null }, options);
    if (moved.kind === 'refused') throw new Refused(moved.refusal);
    await this.remake(episode.id, moved.move);
    return commit;
  }

  /** After an undo the candidate waits again, re-made on the tip that the undo made; also called by recovery, and then harmless twice. */
  async remake(id: Episode['id'], undo: PreparedMove): Promise<void> {
    const episode = this.#log.episode(id);
    const original = candidateOf(episode, undo.candidate);
    if (!original || undo.old === null || episode.candidates.some((c) => c.base === undo.new)) return;
    // The tip before the undo, seen from the undo, is exactly what the undo took away.
    const tree = await this.#ports.repository.treeOf(undo.old);
    const candidate = await this.#proposals.makeOfTree(episode, undo.new, tree, { subject: original.subject, report: original.report, source: 'remade' });
    await this.#log.dispatch({ type: 'propose', episode: id, candidate, replaces: null });
  }

  /** What the start after a crash does with a move that has no end in the ledger. */
  recover(move: Move): Promise<void> {
    return this.#inTurn(async () => { await this.#settle(move.prepared, 'The window closed before the branch had moved. Nothing was changed.'); });
  }

  /** Looks where an interrupted move got to and writes it down. `words` are for the case that nothing of it is left. */
  async #settle(prepared: PreparedMove, words: string): Promise<'old' | 'new' | 'unclear'> {
    const found = await this.#ports.lines.recover(prepared).catch((error: unknown) => ({ kind: 'unclear' as const, words: `It could not be looked at: ${error instanceof Error ? error.message : String(error)}.`, files: [] }));
    switch (found.kind) {
      case 'old':
        await this.#log.dispatch({ type: 'move dropped', move: prepared.move, words });
        break;
      case 'new':
        await this.#log.dispatch({ type: 'move done', move: prepared.move, tree: await this.#ports.repository.treeOf(prepared.new) });
        if (prepared.kind === 'undo') await this.remake(prepared.episode, prepared);
        break;
      case 'unclear':
        await this.#log.dispatch({ type: 'move unclear', move: prepared.move, words: found.files.length === 0 ? found.words : `${found.words} (${found.files.slice(0, 10).join(', ')})` });
    }
    return found.kind;
  }

  /** A verdict that was cut off and could not be put right (a full disk, files in the way) is looked at again when the person asks. To be called in turn: then no move is under way here. */
  async #settleLeft(id: Episode['id']): Promise<void> {
    const { phase } = this.#log.episode(id);
    if (phase.name !== 'judging' || this.#ports.ledger.readOnly() !== null) return;
    const move = this.#log.state.moves.get(phase.move);
    if (move) await this.#settle(move.prepared, 'It had not moved the branch. Nothing was changed.');
  }

  #settled(id: Episode['id']): Episode {
    const episode = this.#log.episode(id);
    if (episode.phase.name === 'judging') throw new Refused({ reason: 'wrong-state', message: `An accept or undo of this change was cut off, and could not be put right. ${episode.phase.unclear ?? ''}`.trim(), next: 'Put these files right by hand, then try again.' });
    return episode;
  }

  async #merged(candidate: Candidate, tip: CommitId, progress: (words: string) => void): Promise<{ tree: TreeId; transplanted: boolean }> {
    const { repository, candidates } = this.#ports;
    progress(`merging with ${shortCommit(tip)}`);
    const transplanted = candidate.base !== tip && !await repository.isAncestor(candidate.base, tip);
    const merge = await candidates.merge(candidate.base, tip, candidate.commit);
    if (merge.kind === 'conflict') throw new Refused({ reason: 'conflict', message: `The change conflicts with what ${shortCommit(tip)} holds.`, next: 'Send it back with Rework, or edit these files in the diff.', files: merge.files });
    if (merge.tree === await repository.treeOf(tip)) throw new Refused({ reason: 'nothing-to-accept', message: `${shortCommit(tip)} holds everything in this change already.`, next: 'Reject it, or send it back with Rework.' });
    return { tree: merge.tree, transplanted };
  }

  async #checked(request: AcceptRequest, episode: Episode, candidate: Candidate, tip: CommitId, tree: TreeId): Promise<readonly Evidence[]> {
    const { repository, candidates, checks } = this.#ports;
    const covering = await coveringConstraints(repository, episode.world.commit, tip, candidateFiles(candidate));
    if (covering.unchecked) return passedOnce(this.#ports, this.#log.state, { candidate, tip, tree, setup: covering.setup });
    if (!covering.constraints.some((c) => c.required)) return [];
    const commit = await candidates.commit({ tree, parent: tip, message: 'Merged tree to be checked', ref: MERGED_REF });
    const gate = await passGate(this.#log, checks, { episode, candidate: candidate.number, covering, merged: { commit, tree }, tip, signal: request.signal, progress: request.progress, mayRun: this.#mayRun })
      .finally(() => repository.deleteRefs(MERGED_REF));
    const passedOver = request.override !== null && gate.refusal?.reason !== 'cancelled';
    if (gate.refusal && !passedOver) throw new Refused(gate.refusal);
    return gate.evidence;
  }

  /** The repository's own commit hooks, in the tip's version, in the check worktree; gives the message that they leave. */
  async #hooked(request: AcceptRequest, tip: CommitId, tree: TreeId, message: string): Promise<string> {
    const { checks, settings, repository } = this.#ports;
    const { world } = this.#log.episode(request.episode);
    if (settings.commitHooks() === 'skip' || (await checks.hooks()).length === 0) return message;
    request.progress('running commit hooks');
    const { setup } = await rulesAt(repository, world.commit);
    const result = await checks.runHooks({ tip, tree, message, setup, signal: request.signal, progress: request.progress, mayRun: this.#mayRun });
    switch (result.kind) {
      case 'passed':
        return result.message;
      case 'failed':
        throw new Refused({ reason: 'hook-failed', message: `The repository’s ${result.hook} hook refused the commit.\n\n${result.output.slice(-2_000)}`, next: 'Send it back with Rework, or set worldtree.commitHooks to "skip" to accept without hooks.' });
      case 'changed-tree': {
        const episode = this.#log.episode(request.episode);
        const original = waitingCandidate(episode, request.candidate);
        const candidate = await this.#proposals.makeOfTree(episode, tip, result.tree, { subject: original.subject, report: original.report, source: 'hook' });
        const proposed = await this.#log.dispatch({ type: 'propose', episode: episode.id, candidate, replaces: null });
        if (!proposed.ok) throw new Refused(proposed.refusal);
        throw new Refused({ reason: 'hook-changed-tree', message: `The repository’s ${result.hook} hook changed the files, so nothing was accepted.`, next: 'What the hook made is now the proposed change: look at it and accept again.' });
      }
    }
  }

  /** A merge with the candidate as second parent only where the line has merges and takes all of it as it is. */
  async #parents(tip: CommitId, candidate: Candidate, transplanted: boolean): Promise<CommitId[]> {
    const style = this.#ports.settings.acceptStyle();
    const merge = style === 'merge' || (style === 'auto' && await this.#ports.repository.hasMerges(tip));
    return merge && !transplanted ? [tip, candidate.commit] : [tip];
  }

  async #move(m: MoveRequest, options: MoveOptions): Promise<{ kind: 'moved'; checkouts: readonly AbsolutePath[]; move: PreparedMove } | { kind: 'refused'; refusal: Refusal }> {
    const { lines, repository } = this.#ports;
    const checkouts = m.old === null ? [] : await lines.checkoutsOf(m.ref);
    const paths = changedPaths(await repository.diff(m.tip, m.new));
    const prepared: PreparedMove = {
      move: this.#nextMove(m.episode), episode: m.episode.id, candidate: m.candidate, kind: m.kind, target: m.target, ref: m.ref,
      old: m.old, new: m.new, checkouts: [...checkouts], paths: [...paths], override: m.override,
    };
    const told = await this.#log.dispatch({ type: 'prepare move', prepared, judged: m.judged });
    if (!told.ok) return { kind: 'refused', refusal: told.refusal };
    if (!await this.#ports.ledger.isOwner()) return { kind: 'refused', refusal: { reason: 'not-owner', message: 'Another window took over this repository.', next: 'Accept in that window.' } };
    const moved = await lines.move(prepared, options).catch(async (error: unknown) => {
      // Neither done nor refused: the same look as after a crash tells, and nothing is left half said.
      if (await this.#settle(prepared, 'The move failed half-way and was put back.') === 'new') return { kind: 'settled' as const };
      throw new Refused({ reason: 'git-failed', message: `Moving ${lineName(m.target)} failed: ${error instanceof Error ? error.message : String(error)}`, next: 'Look at the agent’s row: it says what was found. Try again when the cause is gone.' }, { cause: error });
    });
    if (moved.kind === 'settled') return { kind: 'moved', checkouts, move: prepared };
    if (moved.kind === 'refused') {
      await this.#log.dispatch({ type: 'move dropped', move: prepared.move, words: moved.refusal.message });
      return moved;
    }
    await this.#log.dispatch({ type: 'move done', move: prepared.move, tree: await repository.treeOf(prepared.new) });
    return { kind: 'moved', checkouts, move: prepared };
  }

  #nextMove(episode: Episode): MoveId {
    const count = [...this.#log.state.moves.values()].filter((m) => m.prepared.episode === episode.id).length;
    return moveId.parse(`${episode.id}/m${count + 1}`);
  }

  async #tipOf(target: Line, head: Head, otherwise = 'Use Accept to a New Branch.'): Promise<CommitId> {
    if (target.kind === 'detached') {
      if (head.kind !== 'detached') throw new Refused({ reason: 'branch-missing', message: 'The agent started from a detached HEAD, and a branch is checked out now.', next: `Check the commit out again. ${otherwise}` });
      return head.commit;
    }
    const tip = await this.#ports.repository.resolve(target.ref);
    if (tip === null) throw new Refused({ reason: 'branch-missing', message: `The branch ${lineName(target)} no longer exists.`, next: otherwise });
    return tip;
  }

  /**
   * Where a new branch starts: at the tip of the line that the episode started from, or, where that line is gone (renamed,
   * deleted, HEAD no longer detached), at what is checked out now. Never at the recorded base, which may hold what the person removed.
   */
  async #tipForBranch(target: Line, head: Head): Promise<CommitId> {
    return this.#tipOf(target, head).catch((error: unknown) => {
      if (error instanceof Refused && error.refusal.reason === 'branch-missing' && head.kind !== 'unborn') return head.commit;
      throw error;
    });
  }

  /** What the line held before an accept: its old commit, or for a new branch the accepted commit's first parent. */
  async #before(prepared: PreparedMove): Promise<CommitId> {
    const before = prepared.old ?? await this.#ports.repository.resolve(`${prepared.new}^1`);
    if (before === null) throw new Refused({ reason: 'git-failed', message: `The commit before ${shortCommit(prepared.new)} cannot be found.`, next: 'Take the change back by hand with git revert.' });
    return before;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(work);
    this.#queue = turn.catch(() => undefined);
    return turn;
  }
}

function waitingCandidate(episode: Episode, number?: number): Candidate {
  const { phase } = episode;
  const candidate = phase.name === 'waiting' ? candidateOf(episode, phase.candidate) : undefined;
  if (!candidate) throw new Refused({ reason: 'wrong-state', message: 'This agent has no proposed change that waits.', next: 'Look at its row in the Agents view.' });
  if (number !== undefined && candidate.number !== number) throw new Refused({ reason: 'candidate-superseded', message: `Proposed change ${number} was replaced by ${candidate.number} meanwhile.`, next: 'Look at the newer one and accept that.' });
  return candidate;
}

function messageOf(episode: Episode, candidate: Candidate): string {
  const { subject, report } = candidate;
  return commitMessage({ subject, report, trailers: { episode: episode.id, world: { commit: candidate.base, path: episode.world.path }, model: modelName(episode.model), evidence: [] } });
}

function refOf(line: Line): RefName | 'HEAD' {
  return line.kind === 'branch' ? line.ref : 'HEAD';
}
