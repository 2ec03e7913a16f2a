import type { Candidate, CandidateFlag, ChangedFile } from '../core/candidate/candidate.ts';
import { commitMessage } from '../core/candidate/commitMessage.ts';
import { candidateFlags, changedLinks } from '../core/candidate/flags.ts';
import { refsApart } from '../core/candidate/knownRefs.ts';
import { episodeRefs, scratchRef } from '../core/candidate/refs.ts';
import { changedPaths, sidesOf, splitScope } from '../core/candidate/scope.ts';
import type { EpisodeRecord } from '../core/record/episodeRecord.ts';
import type { Conversation } from '../core/episode/conversation.ts';
import { modelName } from '../core/episode/model.ts';
import type { CommitId, FilePath, TreeId } from '../core/ids.ts';
import type { Outcome } from '../core/ledger/events.ts';
import { ROOT } from '../core/paths.ts';
import { Refused } from '../core/refusal.ts';
import { Turns } from '../core/turns.ts';
import { baseOf, newestCommit, nextCandidate, type Episode } from '../core/world/state.ts';
import type { Candidates } from './ports/candidates.ts';
import type { Repository } from './ports/repository.ts';
import { checksTouched, rulesAt } from './rules.ts';
import type { WorldLog } from './worldLog.ts';

/** What a worktree or an edited tree holds, against the recorded base. */
interface Inspection {
  readonly base: CommitId;
  readonly tree: TreeId;
  readonly inside: readonly ChangedFile[];
  readonly companions: readonly ChangedFile[];
  readonly outside: readonly ChangedFile[];
  readonly ignored: readonly FilePath[];
  readonly nestedRepositories: readonly string[];
  readonly insideSubmodules: readonly string[];
}

interface ProposalText {
  readonly subject: string;
  readonly report: string;
  readonly source: Candidate['source'];
  /** Given when an edit candidate is replaced by the next save. */
  readonly number?: number;
}

/** From files to a candidate: look, split by scope, commit under a ref. The ref stands before anything else happens (rule 4). */
export class Proposals {
  readonly #repository: Repository;
  readonly #candidates: Candidates;
  readonly #log: WorldLog;
  readonly #turns = new Map<Episode['id'], Turns>();

  constructor(repository: Repository, candidates: Candidates, log: WorldLog) {
    this.#repository = repository;
    this.#candidates = candidates;
    this.#log = log;
  }

  /** The episode's whole worktree as it is now. */
  async inspect(episode: Episode, conversation: Pick<Conversation, 'written' | 'forced'>): Promise<Inspection> {
    if (episode.worktree === null) throw new Error(`${episode.id} has no worktree to look at`);
    const base = baseOf(episode);
    const snapshot = await this.#candidates.snapshot({ worktree: episode.worktree, base, brought: episode.brought, written: [...conversation.written], forced: [...conversation.forced] });
    return { ...await this.#split(episode, base, snapshot.tree, snapshot.changed), ignored: snapshot.ignored, nestedRepositories: snapshot.nestedRepositories, insideSubmodules: snapshot.insideSubmodules };
  }

  /**
   * What a candidate becomes by a tree that a person or the harness made: an edit in the diff, a re-made candidate, a hook's
   * result. All of it is taken but what nobody has decided about. What the agent's worktree showed beside its files is still
   * to be told.
   */
  async makeOfTree(episode: Episode, base: CommitId, tree: TreeId, { subject, report, ignored, flags }: Candidate, text: Pick<ProposalText, 'source' | 'number'>, undecided: readonly FilePath[] = []): Promise<Candidate> {
    const split = await this.#split(episode, base, tree, await this.#repository.diff(base, tree));
    const told = (kind: 'nested-repository' | 'inside-submodule') => flags.flatMap((flag) => (flag.kind === kind ? flag.files : []));
    const isUndecided = (file: ChangedFile): boolean => sidesOf(file).some((side) => undecided.includes(side));
    const beyond = [...split.companions, ...split.outside];
    return this.make(episode, { ...split, companions: beyond.filter((file) => !isUndecided(file)), outside: beyond.filter(isUndecided), ignored, nestedRepositories: told('nested-repository'), insideSubmodules: told('inside-submodule') }, { subject, report, ...text });
  }

  /** The two candidates of an accept of some files: what it takes, and the rest. Both stand on the recorded base; neither counts before the line has moved. */
  async split(episode: Episode, candidate: Candidate, taken: { readonly tree: TreeId; readonly rest: readonly ChangedFile[] }): Promise<{ readonly taken: Candidate; readonly rest: Candidate }> {
    const { base } = candidate;
    const first = nextCandidate(episode);
    const restTree = await this.#candidates.pick(base, candidate.tree, changedPaths(taken.rest));
    const made = await this.makeOfTree(episode, base, taken.tree, candidate, { source: 'taken', number: first });
    const rest = await this.makeOfTree(episode, base, restTree, candidate, { source: 'rest', number: first + 1 });
    return { taken: made, rest };
  }

  /** Makes a candidate beside or in place of the one that waits and says so in the ledger; a refusal leaves every ref as the ledger has it. */
  propose(episode: Episode, make: () => Promise<Candidate>, replaces: number | null): Promise<number> {
    return this.alone(episode.id, async () => {
      const candidate = await make();
      const told = await this.#log.dispatch({ type: 'propose', episode: episode.id, candidate, replaces });
      if (told.ok) return candidate.number;
      await this.rightRefs(episode.id);
      throw new Refused(told.refusal);
    });
  }

  /** Candidates that count only with the end of a move: wherever it stops, no ref stays that the ledger does not know. */
  aroundMove<T>(id: Episode['id'], move: () => Promise<T>): Promise<T> {
    // A line that moved has moved: what cannot be righted now is at the next start.
    return this.alone(id, () => move().finally(() => this.rightRefs(id).catch(() => undefined)));
  }

  /** A number's ref is written before the ledger knows of it; where it never came to that, it goes back to what the ledger has. */
  async rightRefs(id: Episode['id']): Promise<void> {
    const refs = await this.#repository.listRefs(episodeRefs(id).candidates);
    for (const { ref, known } of refsApart(this.#log.state, this.#log.episode(id), refs)) {
      if (known === null) await this.#repository.deleteRefs(ref);
      else await this.#repository.setRef(ref, known);
    }
  }

  /** What a killed window wrote and never told. Not where an agent is at work: it writes its next number anew. */
  async rightAllRefs(): Promise<void> {
    const refs = await this.#repository.listRefs('refs/worldtree/episodes/');
    for (const episode of this.#log.state.episodes.values()) {
      if (episode.phase.name !== 'waiting' && episode.phase.name !== 'ended') continue;
      if (refsApart(this.#log.state, episode, refs).length > 0) await this.alone(episode.id, () => this.rightRefs(episode.id));
    }
  }

  /** One at a time for each agent: the next number, its ref and its fact in the ledger belong together. */
  alone<T>(id: Episode['id'], work: () => Promise<T>): Promise<T> {
    const turns = this.#turns.get(id) ?? new Turns();
    this.#turns.set(id, turns);
    return turns.run(work);
  }

  /** A candidate that a record tells of, as its commits say: what a record says of files is not believed (rule 5). */
  async readBack(episode: Pick<Episode, 'world'>, { outside, nestedRepositories, insideSubmodules, ...told }: EpisodeRecord['candidates'][number]): Promise<Candidate> {
    const tree = await this.#repository.treeOf(told.commit);
    const split = await this.#split(episode, told.base, tree, await this.#repository.diff(told.base, told.commit));
    const left = told.outsideCommit === null ? [] : (await this.#repository.diff(told.base, told.outsideCommit)).filter((f) => outside.includes(f.path));
    const companions = [...split.companions, ...split.outside];
    return { ...told, tree, inside: [...split.inside], companions, outside: left, flags: await this.#flags(episode, { tree, nestedRepositories, insideSubmodules }, [...split.inside, ...companions]) };
  }

  /** Gives the newest candidate with what nobody has decided about yet: an agent goes on from all that it had. */
  async withUndecided<T>(episode: Episode, work: (commit: CommitId) => Promise<T>): Promise<T> {
    const newest = episode.candidates.at(-1);
    if (newest === undefined || newest.outsideCommit === null) return work(newestCommit(episode));
    const proposed = await this.treeOf(newest.outsideCommit);
    const tree = await this.#candidates.pick(newest.tree, proposed, changedPaths(newest.outside));
    if (tree === proposed) return work(newest.outsideCommit);
    // The person edited the rest, or decided about some of it.
    const ref = scratchRef(`undecided/${episode.id}`);
    try {
      return await work(await this.#candidates.commit({ tree, parent: newest.base, message: 'What waits, with what nobody has decided about', ref }));
    } finally {
      await this.#repository.deleteRefs(ref);
    }
  }

  treeOf(commit: CommitId): Promise<TreeId> {
    return this.#repository.treeOf(commit);
  }

  /** Commits what lies inside and its companions; what lies outside gets a commit of its own beside it. */
  async make(episode: Episode, found: Inspection, text: ProposalText): Promise<Candidate> {
    const refs = episodeRefs(episode.id);
    const number = text.number ?? nextCandidate(episode);
    const taken = [...found.inside, ...found.companions];
    const message = commitMessage({ subject: text.subject, report: text.report, trailers: { episode: episode.id, world: { commit: found.base, path: episode.world.path }, model: modelName(episode.model), evidence: [] } });
    const tree = found.outside.length === 0 ? found.tree : await this.#candidates.pick(found.base, found.tree, changedPaths(taken));
    const outsideCommit = found.outside.length === 0 ? null : await this.#candidates.commit({ tree: found.tree, parent: found.base, message: `${message}\n\nHolds the changes outside the folder as well.`, ref: refs.outside(number) });
    const commit = await this.#candidates.commit({ tree, parent: found.base, message, ref: refs.candidate(number) });
    return {
      number, commit, base: found.base, tree, source: text.source, subject: text.subject, report: text.report,
      inside: [...found.inside], companions: [...found.companions], outside: [...found.outside], outsideCommit, ignored: [...found.ignored],
      flags: await this.#flags(episode, found, taken),
    };
  }

  /** Takes what the worktree holds as a proposed change although the agent did not finish; ends the episode where it holds nothing. */
  async handIn(episode: Episode, conversation: Conversation, why: string, otherwise: Extract<Outcome, 'cancelled' | 'failed' | 'stuck' | 'out of turns'>): Promise<void> {
    const found = await this.inspect(episode, conversation).catch((error: unknown) => {
      if (isWorktreeGone(error)) return null;
      throw error;
    });
    if (found === null) return this.worktreeGone(episode);
    if (found.inside.length + found.companions.length + found.outside.length === 0) {
      await this.#log.dispatch({ type: 'end', episode: episode.id, outcome: otherwise, words: why });
      return;
    }
    const lastWords = conversation.messages.findLast((m) => m.role === 'assistant' && m.text !== '')?.text ?? '';
    const candidate = await this.make(episode, found, { subject: `Unfinished: ${firstLine(episode.goal)}`, report: [why, lastWords].filter((t) => t !== '').join('\n\n'), source: 'agent' });
    await this.#log.dispatch({ type: 'propose', episode: episode.id, candidate, replaces: null });
  }

  /**
   * The worktree's folder is not there any more, so nothing can be taken from it, now or ever: asking again would keep
   * the episode for ever. The change that was sent back waits again; where there is none, the episode has failed.
   */
  async worktreeGone(episode: Episode): Promise<void> {
    const words = 'The worktree’s folder was deleted while the agent worked in it. What it had not handed in is gone; nothing of yours was touched.';
    const sentBack = episode.candidates.at(-1);
    if (sentBack === undefined) {
      await this.#log.dispatch({ type: 'end', episode: episode.id, outcome: 'failed', words });
      return;
    }
    const number = nextCandidate(episode);
    await this.#repository.setRef(episodeRefs(episode.id).candidate(number), sentBack.commit);
    await this.#log.dispatch({ type: 'propose', episode: episode.id, candidate: { ...sentBack, number, source: 'agent', report: `${words} This is the change as it was sent back.\n\n${sentBack.report}` }, replaces: null });
  }

  async #split(episode: Pick<Episode, 'world'>, base: CommitId, tree: TreeId, changed: readonly ChangedFile[]): Promise<Pick<Inspection, 'base' | 'tree' | 'inside' | 'companions' | 'outside'>> {
    // Scope rules come from the top-level episode's base for the whole tree of episodes (rule 5).
    const rules = await rulesAt(this.#repository, episode.world.commit);
    const files = (await this.#repository.list(base, episode.world.path)).map((entry) => entry.path);
    return { base, tree, ...splitScope({ changed, folder: episode.world.path, filesInside: files, rules: rules.scope }) };
  }

  async #flags(episode: Pick<Episode, 'world'>, found: Pick<Inspection, 'tree' | 'nestedRepositories' | 'insideSubmodules'>, taken: readonly ChangedFile[]): Promise<CandidateFlag[]> {
    const linkTargets = new Map<FilePath, string>();
    if (changedLinks(taken).length > 0) {
      // Also links that did not change: a new one may lead out of the scope through an old one.
      const links = (await this.#repository.list(found.tree, ROOT)).filter((entry) => entry.mode === '120000');
      for (const link of links) linkTargets.set(link.path, new TextDecoder().decode(await this.#repository.readBlob(link.blob)));
    }
    const touchesChecks = await checksTouched(this.#repository, episode.world.commit, taken);
    return candidateFlags({ changed: taken, folder: episode.world.path, linkTargets, nestedRepositories: found.nestedRepositories, insideSubmodules: found.insideSubmodules, touchesChecks });
  }
}

export function isWorktreeGone(error: unknown): boolean {
  return error instanceof Refused && error.refusal.reason === 'worktree-gone';
}

function firstLine(text: string): string {
  return (text.split('\n', 1)[0] ?? '').slice(0, 60);
}
