import { candidateFiles, type Candidate } from '../../core/candidate/candidate.ts';
import { commitMessage } from '../../core/candidate/commitMessage.ts';
import { withEvidence } from '../../core/candidate/evidenceTrailer.ts';
import { scratchRef } from '../../core/candidate/refs.ts';
import { changedPaths } from '../../core/candidate/scope.ts';
import type { Evidence } from '../../core/constraints/constraint.ts';
import { modelName } from '../../core/episode/model.ts';
import { shortCommit, type AbsolutePath, type CommitId, type FilePath, type TreeId } from '../../core/ids.ts';
import type { Line } from '../../core/ledger/events.ts';
import { count } from '../../core/projections/amounts.ts';
import { lineName } from '../../core/projections/episodeWords.ts';
import { Refused } from '../../core/refusal.ts';
import { candidateOf, type Episode } from '../../core/world/state.ts';
import { offeredChecks, passedOnce } from '../offeredChecks.ts';
import type { Accepted, AcceptPlan, AcceptRequest } from '../openWorld.ts';
import type { CheckRequest } from '../ports/checks.ts';
import type { WorldPorts } from '../ports/worldPorts.ts';
import type { Proposals } from '../proposals.ts';
import { rulesAt } from '../rules.ts';
import type { WorldLog } from '../worldLog.ts';
import { coveringConstraints, knownOf, passGate } from './gate.ts';
import type { LineMoves } from './lineMoves.ts';
import { takenOf, type Taken } from './taken.ts';
import { refOf, tipForBranch, tipOf } from './tips.ts';

/** How often an accept starts over because the person moved the line between its merge and its lock. */
const MOVED_MEANWHILE = 5;

/** Hold a tree while it is checked: a check worktree is set to a commit. */
const MERGED_REF = scratchRef('merged');
const ALONE_REF = scratchRef('alone');

/** From the waiting change to the person's commit on the line: what it would be, and making it so. */
export class Accepting {
  readonly #ports: WorldPorts;
  readonly #log: WorldLog;
  readonly #proposals: Proposals;
  readonly #moves: LineMoves;
  readonly #mayRun: CheckRequest['mayRun'];

  constructor(ports: WorldPorts, log: WorldLog, proposals: Proposals, moves: LineMoves, mayRun: CheckRequest['mayRun']) {
    this.#ports = ports;
    this.#log = log;
    this.#proposals = proposals;
    this.#moves = moves;
    this.#mayRun = mayRun;
  }

  async plan(episode: Episode, files: readonly FilePath[] | null): Promise<AcceptPlan> {
    const { repository, checks, candidates, lines } = this.#ports;
    const candidate = waitingCandidate(episode);
    const head = await repository.head();
    const tip = await tipForBranch(repository, episode.target, head);
    const taken = await takenOf(candidates, candidate, tip, files);
    const merge = await candidates.merge(candidate.base, tip, taken.tree);
    const covering = await coveringConstraints(repository, episode.world.commit, tip, taken.files);
    const standing = await Promise.all(covering.constraints.map(async (constraint) => {
      const known = merge.kind === 'clean' ? (await knownOf(this.#log.state, checks, merge.tree, constraint, covering.setup)).state : 'not run' as const;
      return { name: constraint.name, required: constraint.required, known };
    }));
    return {
      episode: episode.id, candidate: candidate.number, target: episode.target, head, checkedOutIn: await checkoutsOf(lines, episode.target), tip,
      files: taken.rest.length === 0 ? null : taken.files.map((file) => file.path), changed: candidateFiles(candidate),
      behind: await repository.commitsBetween(candidate.base, tip),
      message: messageOf(episode, candidate, taken),
      merged: merge,
      checks: standing, unchecked: covering.unchecked,
      found: covering.unchecked && merge.kind === 'clean' ? await offeredChecks(this.#ports, this.#log.state, { files: taken.files, tip, tree: merge.tree, setup: covering.setup }) : [],
      undecidedOutside: candidate.outside.map((f) => f.path),
    };
  }

  async accept(request: AcceptRequest): Promise<Accepted> {
    const { repository, lines } = this.#ports;
    for (let attempt = 1; ; attempt++) {
      const episode = this.#log.episode(request.episode);
      const candidate = waitingCandidate(episode, request.candidate);
      if (candidate.outside.length > 0) throw new Refused({ reason: 'outside-scope', message: `The change has ${candidate.outside.length} files outside its folder that nobody has decided about.`, next: 'Allow them or drop them first.', files: candidate.outside.map((f) => f.path) });
      const head = await repository.head();
      const target: Line = request.to.kind === 'line' ? episode.target : { kind: 'branch', ref: request.to.ref };
      const tip = request.to.kind === 'line' ? await tipOf(repository, episode.target, head) : await tipForBranch(repository, episode.target, head);
      const made = await cancellable(request.signal, async () => {
        const taken = await takenOf(this.#ports.candidates, candidate, tip, request.files);
        const { tree, transplanted } = await this.#merged(taken, tip, request.progress);
        const evidence = await this.#checked(request, episode, taken, tip, tree);
        const message = await this.#hooked(request, taken, tip, tree, withEvidence(request.message, evidence));
        return { taken, tree, transplanted, message };
      });
      request.progress(`accepting onto ${lineName(target)}`);
      const ref = request.to.kind === 'new-branch' ? request.to.ref : refOf(episode.target);
      const old = request.to.kind === 'new-branch' ? null : tip;
      const moved = await this.#proposals.aroundMove(episode.id, async () => {
        const split = made.taken.rest.length === 0 ? null : await this.#proposals.split(this.#log.episode(episode.id), candidate, made.taken);
        const commit = await cancellable(request.signal, async () => lines.commitAsPerson({ tree: made.tree, parents: await this.#parents(tip, split?.taken ?? candidate, made.transplanted), message: made.message }, request.signal));
        const end = await this.#moves.move({ kind: 'accept', episode, candidate: candidate.number, judged: candidate.commit, target, ref, old, new: commit, tip, override: request.override, ...(split === null ? {} : { split }) }, request);
        return end.kind === 'moved' ? { ...end, commit, rest: split?.rest ?? null } : end;
      });
      if (moved.kind === 'moved') return { move: moved.move, commit: moved.commit, target, transplanted: made.transplanted, filesUpdatedIn: moved.checkouts, rest: moved.rest === null ? 0 : candidateFiles(moved.rest).length };
      if (moved.refusal.reason !== 'branch-moved' || attempt >= MOVED_MEANWHILE) throw new Refused(moved.refusal);
    }
  }

  async ontoTip(episode: Episode): Promise<CommitId | null> {
    const { repository, candidates } = this.#ports;
    const candidate = waitingCandidate(episode);
    const tip = await tipOf(repository, episode.target, await repository.head());
    const merge = await candidates.merge(candidate.base, tip, candidate.commit);
    // A conflict is the agent's to solve where it stands; files that nobody has decided about belong to the old base.
    if (tip === candidate.base || merge.kind === 'conflict' || candidate.outside.length > 0) return null;
    await this.#proposals.propose(episode, () => this.#proposals.makeOfTree(episode, tip, merge.tree, candidate, { source: 'remade' }), null);
    return tip;
  }

  async #merged({ candidate, tree }: Taken, tip: CommitId, progress: (words: string) => void): Promise<{ tree: TreeId; transplanted: boolean }> {
    const { repository, candidates } = this.#ports;
    progress(`merging with ${shortCommit(tip)}`);
    const transplanted = candidate.base !== tip && !await repository.isAncestor(candidate.base, tip);
    const merge = await candidates.merge(candidate.base, tip, tree);
    if (merge.kind === 'conflict') throw new Refused({ reason: 'conflict', message: `The change conflicts with what ${shortCommit(tip)} holds.`, next: 'Send it back with Rework, or edit these files in the diff.', files: merge.files });
    if (merge.tree === await repository.treeOf(tip)) throw new Refused({ reason: 'nothing-to-accept', message: `${shortCommit(tip)} holds everything in this change already.`, next: 'Reject it, or send it back with Rework.' });
    return { tree: merge.tree, transplanted };
  }

  async #checked(request: AcceptRequest, episode: Episode, taken: Taken, tip: CommitId, tree: TreeId): Promise<readonly Evidence[]> {
    const { repository, candidates, checks } = this.#ports;
    const covering = await coveringConstraints(repository, episode.world.commit, tip, taken.files);
    if (covering.unchecked) return passedOnce(this.#ports, this.#log.state, { files: taken.files, tip, tree, setup: covering.setup });
    if (!covering.constraints.some((c) => c.required)) return [];
    const commitOf = async (checked: TreeId, parent: CommitId, ref: typeof MERGED_REF) => ({ tree: checked, commit: await candidates.commit({ tree: checked, parent, message: 'Tree to be checked', ref }) });
    try {
      const gate = await passGate(this.#log, checks, {
        episode, candidate: taken.candidate.number, covering, merged: await commitOf(tree, tip, MERGED_REF), alone: { tree: taken.tree, commit: async () => (await commitOf(taken.tree, taken.candidate.base, ALONE_REF)).commit },
        part: taken.rest.length > 0, tip, line: lineName(episode.target), signal: request.signal, progress: request.progress, mayRun: this.#mayRun,
      });
      const passedOver = request.override !== null && gate.refusal?.reason !== 'cancelled';
      if (gate.refusal && !passedOver) throw new Refused(gate.refusal);
      return gate.evidence;
    } finally {
      await repository.deleteRefs(MERGED_REF);
      await repository.deleteRefs(ALONE_REF);
    }
  }

  /** The repository's own commit hooks, in the tip's version, in the check worktree; gives the message that they leave. */
  async #hooked(request: AcceptRequest, taken: Taken, tip: CommitId, tree: TreeId, message: string): Promise<string> {
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
      case 'changed-tree':
        throw await this.#hookChanged(request, taken, tip, result.tree, result.hook);
    }
  }

  /** What a hook made becomes the change that waits, together with the files that the accept had left out. */
  async #hookChanged(request: AcceptRequest, { candidate, rest }: Taken, tip: CommitId, tree: TreeId, hook: string): Promise<Refused> {
    const { candidates } = this.#ports;
    const episode = this.#log.episode(request.episode);
    const waiting = waitingCandidate(episode, request.candidate);
    const whole = rest.length === 0
      ? { kind: 'clean' as const, tree }
      : await candidates.merge(candidate.base, tree, await candidates.pick(candidate.base, candidate.tree, changedPaths(rest)));
    if (whole.kind === 'conflict') return new Refused({ reason: 'hook-failed', message: `The repository’s ${hook} hook changed files of which only some were to be accepted, so nothing was accepted.`, next: 'Accept the whole change, or set worldtree.commitHooks to "skip" to accept without hooks.', files: whole.files });
    await this.#proposals.propose(episode, () => this.#proposals.makeOfTree(episode, tip, whole.tree, waiting, { source: 'hook' }), null);
    return new Refused({ reason: 'hook-changed-tree', message: `The repository’s ${hook} hook changed the files, so nothing was accepted.`, next: 'What the hook made is now the proposed change: look at it and accept again.' });
  }

  /**
   * A merge with the candidate as second parent only where the line has merges and takes all of it as it is. One that the
   * line had and gave back in an undo is an ancestor for good: merged again, git would bring nothing of it.
   */
  async #parents(tip: CommitId, candidate: Candidate, transplanted: boolean): Promise<CommitId[]> {
    const { settings, repository } = this.#ports;
    const style = settings.acceptStyle();
    const merge = style === 'merge' || (style === 'auto' && await repository.hasMerges(tip));
    return merge && !transplanted && !await repository.isAncestor(candidate.commit, tip) ? [tip, candidate.commit] : [tip];
  }
}

/** Until a line is touched, an accept that is cancelled has changed nothing, whatever was ended by it. */
async function cancellable<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // What a hook made waits as a proposed change already: who is told that nothing was changed would not look at it.
    if (!signal.aborted || (error instanceof Refused && error.refusal.reason === 'hook-changed-tree')) throw error;
    throw new Refused({ reason: 'cancelled', message: 'The accept was cancelled. Nothing was changed.', next: 'Accept again when you like.' }, { cause: error });
  }
}

function waitingCandidate(episode: Episode, number?: number): Candidate {
  const { phase } = episode;
  const candidate = phase.name === 'waiting' ? candidateOf(episode, phase.candidate) : undefined;
  if (!candidate) throw new Refused({ reason: 'wrong-state', message: 'This agent has no proposed change that waits.', next: 'Look at its row in the Agents view.' });
  if (number !== undefined && candidate.number !== number) throw new Refused({ reason: 'candidate-superseded', message: `Proposed change ${number} was replaced by ${candidate.number} meanwhile.`, next: 'Look at the newer one and accept that.' });
  return candidate;
}

function messageOf(episode: Episode, candidate: Candidate, { files, rest }: Taken): string {
  const { subject } = candidate;
  // Subject and report speak for the whole change.
  const part = rest.length === 0 ? [] : [`Takes ${files.length} of ${count(files.length + rest.length, 'file')}.`];
  const report = [...part, candidate.report].join('\n\n');
  return commitMessage({ subject, report, trailers: { episode: episode.id, world: { commit: candidate.base, path: episode.world.path }, model: modelName(episode.model), evidence: [] } });
}

/** Empty too where one of them cannot be reached: of that the accept itself tells. */
async function checkoutsOf(lines: WorldPorts['lines'], target: Line): Promise<readonly AbsolutePath[]> {
  return lines.checkoutsOf(refOf(target)).catch(() => []);
}
