import { evolveConversation } from '../core/episode/conversation.ts';
import { unreachable } from '../core/exhaustive.ts';
import { episodeRefs } from '../core/candidate/refs.ts';
import { type AbsolutePath, type CommitId, type EpisodeId, type FilePath, type FolderPath } from '../core/ids.ts';
import type { Answer } from '../core/ledger/events.ts';
import { displayFolder, isInside } from '../core/paths.ts';
import { Refused, type Refusal } from '../core/refusal.ts';
import type { Command } from '../core/world/commands.ts';
import type { Effect } from '../core/world/decision.ts';
import { newestCommit, type Episode, type WorldState } from '../core/world/state.ts';
import { Acceptance } from './acceptance.ts';
import { Edits, editedByPerson } from './edits.ts';
import { EpisodeRunner, readConversation } from './episodeRunner.ts';
import { Listeners } from './listeners.ts';
import { LiveStatus } from './liveStatus.ts';
import { reworkText } from '../core/prompt/rework.ts';
import type { Accepted, AcceptPlan, AcceptRequest, DelegationPlan, DelegationRequest, Live, OpenWorld, Result } from './openWorld.ts';
import type { CheckRequest } from './ports/checks.ts';
import type { ReadOnlyReason } from './ports/ledger.ts';
import type { Repository } from './ports/repository.ts';
import type { WorldPorts } from './ports/worldPorts.ts';
import { Proposals } from './proposals.ts';
import { Questions } from './questions.ts';
import { writeRecord } from './record.ts';
import { rulesAt } from './rules.ts';
import { WorldLog } from './worldLog.ts';

/** How often views are told at most, in milliseconds. */
const TELL_EVERY_MS = 100;

/**
 * One repository's world in this window: performs what the deciders ask for, and turns a person's verbs into
 * commands. What an episode or a verdict does lives in the files named for it.
 */
export class World implements OpenWorld {
  readonly #ports: WorldPorts;
  readonly #log: WorldLog;
  readonly #live: LiveStatus;
  readonly #proposals: Proposals;
  readonly #questions: Questions;
  readonly #acceptance: Acceptance;
  readonly #edits: Edits;
  readonly #changed = new Listeners<void>();
  readonly #atWork = new Map<EpisodeId, { readonly abort: AbortController; readonly done: Promise<void> }>();
  readonly #disposables: { dispose(): void }[] = [];
  #warnings: readonly string[] = [];
  #telling = false;

  private constructor(ports: WorldPorts) {
    this.#ports = ports;
    this.#log = new WorldLog(ports.ledger, ports.clock, (effect) => this.#perform(effect));
    this.#live = new LiveStatus(() => this.#tell());
    this.#proposals = new Proposals(ports.repository, ports.candidates, this.#log);
    this.#questions = new Questions(this.#log, ports.permissions);
    this.#acceptance = new Acceptance(ports, this.#log, this.#proposals, this.#confirmRun);
    this.#edits = new Edits(ports.candidates, this.#proposals, this.#log);
  }

  /** Replays the ledger and, where this window owns it, goes on with what an earlier one left. */
  static async open(ports: WorldPorts): Promise<World> {
    const world = new World(ports);
    world.#warnings = await world.#log.replay();
    world.#disposables.push(
      world.#log.onChange(() => world.#tell()),
      ports.ledger.follow((records) => world.#log.take(records)),
      ports.ledger.onLost(() => world.#haltAll()),
      ports.spending.onStop(() => world.#stopAll()),
    );
    if (world.readOnly() === null && world.state().episodes.size > 0) await world.#recover();
    return world;
  }

  get repository(): Repository {
    return this.#ports.repository;
  }

  get warnings(): readonly string[] {
    return this.#warnings;
  }

  state(): WorldState {
    return this.#log.state;
  }

  live(episode: EpisodeId): Live | undefined {
    return this.#live.get(episode);
  }

  readOnly(): ReadOnlyReason | null {
    return this.#ports.settings.trusted() ? this.#ports.ledger.readOnly() : { kind: 'untrusted' };
  }

  onChange(listener: () => void): { dispose(): void } {
    return this.#changed.add(listener);
  }

  prepareDelegation(folder: FolderPath): Promise<Result<DelegationPlan>> {
    return result(async () => {
      const { repository } = this.#ports;
      const head = await repository.head();
      if (head.kind === 'unborn') throw new Refused({ reason: 'no-commit', message: 'This repository has no commit yet, so an agent has nothing to start from.', next: 'Make the first commit, then delegate again.' });
      const submodule = (await repository.submodules(head.commit)).find((path) => isInside(folder, path));
      if (submodule !== undefined) throw new Refused({ reason: 'inside-submodule', message: `${displayFolder(folder)} lies in the submodule ${submodule}, which is a repository of its own.`, next: 'Open the submodule’s folder and delegate there.' });
      if (folder !== '' && (await repository.list(head.commit, folder)).length === 0) throw new Refused({ reason: 'folder-missing', message: `${displayFolder(folder)} holds no committed file at ${head.commit.slice(0, 7)}.`, next: 'Commit something there first, or delegate the folder above.' });
      const uncommitted = await repository.uncommitted();
      const inside = uncommitted.filter((path) => isInside(path, folder));
      const alreadyThere = [...this.state().episodes.values()].filter((e) => e.world.path === folder && e.phase.name !== 'ended').map((e) => e.id);
      return { folder, commit: head.commit, head, uncommittedInside: inside, uncommittedElsewhere: uncommitted.length - inside.length, alreadyThere };
    });
  }

  delegate(request: DelegationRequest): Promise<Result<EpisodeId>> {
    const { plan, goal, model, limits } = request;
    return this.#asOwner(async () => {
      const told = await this.#dispatch({
        type: 'delegate', tag: this.#ports.ledger.tag, world: { commit: plan.commit, path: plan.folder },
        target: plan.head.kind === 'branch' ? { kind: 'branch', ref: plan.head.ref } : { kind: 'detached' },
        goal: goal ?? `Survey ${displayFolder(plan.folder)}`, role: goal === null ? 'surveyor' : 'executor', model, limits, uncommittedElsewhere: plan.uncommittedElsewhere,
      });
      const started = told[0];
      if (started?.type !== 'episode.started') throw new Error('a delegation was accepted without having started');
      return started.episode;
    });
  }

  answer(episode: EpisodeId, answer: Answer): Promise<Result<void>> {
    return this.#asOwner(async () => {
      const { phase } = this.#log.episode(episode);
      if (phase.name === 'asking' && phase.question.kind === 'stuck' && answer.choice === 'message') await this.#say(episode, answer.words);
      await this.#dispatch({ type: 'answer', episode, answer });
      this.#questions.deliver(episode, answer);
    });
  }

  stop(episode: EpisodeId): Promise<Result<void>> {
    return this.#asOwner(async () => void await this.#dispatch({ type: 'stop', episode }));
  }

  async look(episode: EpisodeId, number: number): Promise<void> {
    // A glance is worth no error: a read-only window shows the change all the same.
    if (this.readOnly() === null) await this.#log.dispatch({ type: 'look', episode, number });
  }

  saveEdit(episode: EpisodeId, path: FilePath, bytes: Uint8Array | null): Promise<Result<number>> {
    return this.#asOwner(() => this.#edits.save(episode, path, bytes));
  }

  decideOutside(episode: EpisodeId, decision: 'allow' | 'drop', files: readonly FilePath[]): Promise<Result<number>> {
    return this.#asOwner(() => this.#edits.decideOutside(episode, decision, files));
  }

  planAccept(episode: EpisodeId): Promise<Result<AcceptPlan>> {
    return result(() => this.#acceptance.plan(this.#log.episode(episode)));
  }

  accept(request: AcceptRequest): Promise<Result<Accepted>> {
    return this.#asOwner(async () => {
      try {
        return await this.#acceptance.accept({ ...request, progress: (words) => { this.#live.say(request.episode, words); request.progress(words); } });
      } finally {
        this.#live.clear(request.episode);
      }
    });
  }

  undo(episode: EpisodeId, options: { readonly signal: AbortSignal; readonly unsaved: () => Promise<readonly AbsolutePath[]> }): Promise<Result<CommitId>> {
    return this.#asOwner(() => this.#acceptance.undo(this.#log.episode(episode), options));
  }

  reject(episode: EpisodeId, reason: string): Promise<Result<void>> {
    return this.#asOwner(async () => void await this.#dispatch({ type: 'reject', episode, reason }));
  }

  addRejectReason(episode: EpisodeId, reason: string): Promise<Result<void>> {
    return this.#asOwner(async () => void await this.#dispatch({ type: 'add reason', episode, reason }));
  }

  withdrawReject(episode: EpisodeId): Promise<Result<void>> {
    return this.#asOwner(async () => void await this.#dispatch({ type: 'withdraw reject', episode }));
  }

  rework(id: EpisodeId, words: string): Promise<Result<void>> {
    return this.#asOwner(async () => {
      await this.#atWork.get(id)?.done;
      const episode = this.#log.episode(id);
      const edited = editedByPerson(episode);
      await this.#worktreeWith(episode);
      await this.#say(id, reworkText(words, edited));
      await this.#dispatch({ type: 'rework', episode: id, words, editedByPerson: edited });
    });
  }

  async close(): Promise<void> {
    for (const disposable of this.#disposables) disposable.dispose();
    this.#haltAll();
    await Promise.all([...this.#atWork.values()].map((w) => w.done));
    await this.#ports.ledger.close();
  }

  async #recover(): Promise<void> {
    await this.#log.dispatch({ type: 'recover', at: this.#log.now() });
    await this.#ports.worktrees.sweep((id) => {
      const phase = this.state().episodes.get(id)?.phase;
      return phase === undefined || phase.name === 'ended';
    });
  }

  #perform(effect: Effect): void {
    switch (effect.do) {
      case 'prepare worktree': return this.#work(effect.episode, (signal) => this.#prepare(effect.episode, signal));
      case 'continue': return this.#work(effect.episode, (signal) => new EpisodeRunner({ ...this.#ports, log: this.#log, live: this.#live }, this.#proposals, this.#questions, effect.episode, signal).run());
      case 'halt': return this.#atWork.get(effect.episode)?.abort.abort();
      case 'hand in': return this.#work(effect.episode, async () => this.#proposals.handIn(this.#log.episode(effect.episode), await readConversation(this.#ports, effect.episode), effect.why, effect.otherwise));
      case 'close': return this.#work(effect.episode, () => this.#close(effect.episode));
      case 'recover move': {
        const move = this.state().moves.get(effect.move);
        return move && this.#work(move.prepared.episode, () => this.#acceptance.recover(move));
      }
      case 'raise daily cap': {
        const { costUsd, allTokens } = this.#ports.settings.daily();
        return void this.#ports.spending.raise(effect.limit === 'daily cost' ? { usd: costUsd, unpricedTokens: 0 } : { usd: 0, unpricedTokens: allTokens });
      }
      default: return unreachable(effect);
    }
  }

  /** One piece of work at a time for each episode, in the order in which it was asked for. What nobody foresaw becomes a question. */
  #work(id: EpisodeId, work: (signal: AbortSignal) => Promise<void>): void {
    const before = this.#atWork.get(id)?.done ?? Promise.resolve();
    const abort = new AbortController();
    const done = before.then(() => work(abort.signal)).catch((error: unknown) => this.#failed(id, error)).finally(() => {
      if (this.#atWork.get(id)?.abort === abort) this.#atWork.delete(id);
      this.#live.clear(id);
    });
    this.#atWork.set(id, { abort, done });
  }

  async #failed(id: EpisodeId, error: unknown): Promise<void> {
    const refusal: Refusal = error instanceof Refused ? error.refusal : { reason: 'git-failed', message: `Something went wrong that was not foreseen: ${error instanceof Error ? error.message : String(error)}`, next: 'Try again; if it stays so, report it.' };
    await this.#log.dispatch({ type: 'ask', episode: id, question: { kind: 'failed', words: `${refusal.message} ${refusal.next}` } });
  }

  async #prepare(id: EpisodeId, signal: AbortSignal): Promise<void> {
    const { repository, worktrees } = this.#ports;
    const episode = this.#log.episode(id);
    await repository.setRef(episodeRefs(id).base, episode.world.commit);
    const prepared = await worktrees.prepare({
      episode: id, commit: episode.world.commit, setup: (await rulesAt(repository, episode.world.commit)).setup, signal,
      progress: (words) => this.#live.say(id, words),
      mayRun: async (command) => (await this.#questions.mayRun(id, command, 'setup', signal)).allowed,
    });
    if (signal.aborted) return;
    await this.#log.dispatch({ type: 'worktree prepared', episode: id, worktree: prepared.path, brought: prepared.brought });
  }

  /** The waiting change's files in the episode's worktree, made anew where it was given back. */
  async #worktreeWith(episode: Episode): Promise<void> {
    const { worktrees } = this.#ports;
    const commit = newestCommit(episode);
    const worktree = await worktrees.adopt(episode.id);
    if (worktree !== null) return worktrees.reset(worktree, commit);
    const prepared = await worktrees.prepare({
      episode: episode.id, commit: episode.candidates.at(-1)?.base ?? episode.world.commit, setup: (await rulesAt(this.#ports.repository, episode.world.commit)).setup, signal: new AbortController().signal,
      progress: (words) => this.#live.say(episode.id, words),
      mayRun: (command) => this.#confirmRun(command, 'setup'),
    });
    await worktrees.reset(prepared.path, commit);
  }

  /** Closes a `finish` that a crash left open, then adds the person's words. */
  async #say(id: EpisodeId, text: string): Promise<void> {
    const { transcripts } = this.#ports;
    const conversation = await readConversation(this.#ports, id);
    const open = conversation.pending[0];
    const at = this.#log.now();
    const closing = open?.name === 'finish' ? [{ type: 'finished', at, call: open.id, number: this.#log.episode(id).candidates.at(-1)?.number ?? 1 } as const] : [];
    const said = { type: 'said', at, message: { role: 'user', text } } as const;
    [...closing, said].reduce(evolveConversation, conversation);
    await transcripts.append(id, [...closing, said]);
  }

  async #close(id: EpisodeId): Promise<void> {
    const episode = this.#log.episode(id);
    if (episode.phase.name !== 'ended') return;
    await writeRecord(this.#ports.repository, episode);
    await this.#ports.worktrees.remove(id);
  }

  readonly #confirmRun: CheckRequest['mayRun'] = async (command, purpose) => {
    const { permissions, person } = this.#ports;
    if (permissions.allows(command)) return true;
    const prefix = permissions.prefixOf(command);
    const answer = await person.confirmRun({ kind: 'run', command, prefix: prefix === null ? null : [...prefix], purpose });
    if (answer.choice === 'always' && prefix !== null) await permissions.remember(prefix);
    return answer.choice === 'run' || answer.choice === 'always';
  };

  async #dispatch(command: Command): Promise<Extract<Awaited<ReturnType<WorldLog['dispatch']>>, { ok: true }>['events']> {
    const told = await this.#log.dispatch(command);
    if (!told.ok) throw new Refused(told.refusal);
    return told.events;
  }

  /** Verbs that change something: refused before anything begins where this window may only look. */
  #asOwner<T>(work: () => Promise<T>): Promise<Result<T>> {
    const reason = this.readOnly();
    return reason === null ? result(work) : Promise.resolve({ ok: false, refusal: readOnlyRefusal(reason) });
  }

  #haltAll(): void {
    for (const { abort } of this.#atWork.values()) abort.abort();
  }

  /** Stop Everything: no further request from anyone, then each takes what it has. */
  #stopAll(): void {
    this.#haltAll();
    if (this.readOnly() !== null) return;
    for (const episode of this.state().episodes.values()) {
      const { name } = episode.phase;
      if (name === 'preparing' || name === 'running' || name === 'asking' || name === 'interrupted') void this.#log.dispatch({ type: 'stop', episode: episode.id });
    }
  }

  #tell(): void {
    if (this.#telling) return;
    this.#telling = true;
    const after = new AbortController();
    void this.#ports.clock.sleep(TELL_EVERY_MS, after.signal).then(() => {
      this.#telling = false;
      this.#changed.tell();
    });
  }
}

async function result<T>(work: () => Promise<T>): Promise<Result<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    if (error instanceof Refused) return { ok: false, refusal: error.refusal };
    throw error;
  }
}

function readOnlyRefusal(reason: ReadOnlyReason): Refusal {
  switch (reason.kind) {
    case 'untrusted': return { reason: 'untrusted', message: 'This workspace is not trusted, so nothing of it may run or be acted on.', next: 'Trust the workspace, then try again.' };
    case 'other-window': return { reason: 'not-owner', message: `Another window (process ${reason.pid}) runs the agents of this repository${reason.answering ? '' : ' and does not answer'}.`, next: 'Use that window; Stop Everything works from here as well.' };
    case 'newer-version': return { reason: 'ledger-newer', message: `This repository’s history was written by a newer Worldtree (version ${reason.version}).`, next: 'Update the extension.' };
    case 'disk': return { reason: 'ledger-unreadable', message: `The history cannot be written: ${reason.words}`, next: 'Free some space or repair the folder’s permissions, then try again.' };
    default: return unreachable(reason);
  }
}
