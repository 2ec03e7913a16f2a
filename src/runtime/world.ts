import type { Foreseen } from '../core/candidate/foreseen.ts';
import type { Retention } from '../core/candidate/retention.ts';
import type { AbsolutePath, CommitId, EpisodeId, FilePath, FolderPath, MoveId } from '../core/ids.ts';
import type { ModelRef } from '../core/episode/model.ts';
import type { TranscriptEntry } from '../core/episode/transcript.ts';
import type { Answer } from '../core/ledger/events.ts';
import type { Evidence } from '../core/constraints/constraint.ts';
import { limitsAbove, narrowLimits } from '../core/constraints/genesisToml.ts';
import { displayFolder, isInside } from '../core/paths.ts';
import type { DiskUse } from '../core/limits/diskBudget.ts';
import { Listeners } from '../core/listeners.ts';
import { surveyGoal } from '../core/roles.ts';
import { Refused } from '../core/refusal.ts';
import type { Command } from '../core/world/commands.ts';
import type { WorldState } from '../core/world/state.ts';
import { Acceptance } from './acceptance/acceptance.ts';
import { DiskBudget } from './diskBudget.ts';
import { Edits } from './edits.ts';
import { EpisodeWork } from './episodeWork.ts';
import { History } from './history/history.ts';
import { LiveStatus } from './liveStatus.ts';
import type { Accepted, AcceptPlan, AcceptRequest, DelegationPlan, DelegationRequest, Live, OpenWorld, Result, RunOnceRequest, UndoOptions } from './openWorld.ts';
import { Outlook } from './outlook.ts';
import type { CheckRequest } from './ports/checks.ts';
import type { FirstCommitOffer, FirstCommitRequest } from './ports/firstCommit.ts';
import type { ReadOnlyReason, TranscriptReader } from './ports/ledger.ts';
import type { Repository } from './ports/repository.ts';
import type { WorldPorts } from './ports/worldPorts.ts';
import { Proposals } from './proposals.ts';
import { Questions } from './questions.ts';
import { readOnlyRefusal } from './readOnlyRefusal.ts';
import { Records } from './record.ts';
import { result } from './result.ts';
import { rulesAt } from './rules.ts';
import { sendBack } from './sendBack.ts';
import { runOnce } from './runOnce.ts';
import { Start } from './start.ts';
import { WorldLog } from './worldLog.ts';

/** How often views are told at most, in milliseconds. */
const TELL_EVERY_MS = 100;

/** How long Stop Everything waits for the window that runs the agents; the marker in the spend folder tells it all the same. */
const STOP_ANSWER_MS = 2_000;

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
  readonly #outlook: Outlook;
  readonly #records: Records;
  readonly history: History;
  readonly #changed = new Listeners<void>();
  readonly #work: EpisodeWork;
  readonly #disk: DiskBudget;
  readonly #start: Start;
  readonly #disposables: { dispose(): void }[] = [];
  #warnings: readonly string[] = [];
  #telling = false;
  #inbox: { dispose(): void } | undefined;

  private constructor(ports: WorldPorts) {
    this.#ports = ports;
    this.#log = new WorldLog(ports.ledger, ports.clock, (effect) => this.#work.perform(effect));
    this.#live = new LiveStatus(() => this.#tell());
    this.#proposals = new Proposals(ports.repository, ports.candidates, this.#log);
    this.#questions = new Questions(this.#log, ports);
    this.#disposables.push(this.#questions);
    this.#acceptance = new Acceptance(ports, this.#log, this.#proposals, this.#confirmRun);
    this.#edits = new Edits(ports.candidates, this.#proposals, this.#log);
    this.#outlook = new Outlook(ports, () => this.#log.state, () => this.#tell());
    this.#records = new Records(ports.repository, this.#log, ports.ledger.tag);
    this.history = new History({ ports, log: this.#log, records: this.#records, proposals: this.#proposals }, (work) => this.#asOwner(work));
    this.#work = new EpisodeWork({ ports, log: this.#log, live: this.#live, proposals: this.#proposals, questions: this.#questions, acceptance: this.#acceptance, records: this.#records, confirmRun: this.#confirmRun });
    this.#disk = new DiskBudget(ports, this.#log, (episode) => this.#work.giveBack(episode), () => this.#tell());
    this.#start = new Start(ports, this.#log, this.#records, () => this.readOnly() === null, this.#rightRefs);
  }

  /** Replays the ledger and, where this window owns it, goes on with what an earlier one left. */
  static async open(ports: WorldPorts): Promise<World> {
    const world = new World(ports);
    world.#warnings = await world.#log.replay();
    world.#disposables.push(
      world.#log.onChange(() => { world.#tell(); world.#outlook.worldChanged(world.state()); }),
      ports.ledger.follow((records) => world.#log.take(records)),
      ports.ledger.onLost(() => world.#work.haltAll()),
      ports.spending.onStop(() => world.#stopAll()),
      // After a reload the window before may still hold the ledger for a moment: what it left is picked up once it is gone.
      ports.ledger.onReadOnlyChange(() => { world.#tell(); world.#listen(); void world.#start.begin(); }),
      { dispose: () => world.#inbox?.dispose() },
    );
    world.#listen();
    world.#outlook.worldChanged(world.state());
    await world.#start.begin();
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

  foreseen(episode: EpisodeId): Foreseen | undefined {
    return this.#outlook.foresight.of(episode);
  }

  retention(accept: MoveId): Retention | undefined {
    return this.#outlook.retentions.of(accept);
  }

  linesMoved(): void {
    this.#outlook.linesMoved();
  }

  onChange(listener: () => void): { dispose(): void } {
    return this.#changed.add(listener);
  }

  offerFirstCommit(): Promise<Result<FirstCommitOffer>> {
    return this.#ifTrusted(() => this.#ports.firstCommit.offer());
  }

  makeFirstCommit(request: FirstCommitRequest): Promise<Result<CommitId>> {
    return this.#ifTrusted(() => this.#ports.firstCommit.make(request));
  }

  prepareDelegation(folder: FolderPath, checkout?: AbsolutePath): Promise<Result<DelegationPlan>> {
    return result(async () => {
      const { repository } = this.#ports;
      const head = await repository.head(checkout);
      if (head.kind === 'unborn') throw new Refused({ reason: 'no-commit', message: 'This repository has no commit yet, so an agent has nothing to start from.', next: 'Make the first commit, then delegate again.' });
      // A detached line is the HEAD of the checkout that was opened.
      if (head.kind === 'detached' && checkout !== undefined && checkout !== repository.checkout) throw new Refused({ reason: 'branch-missing', message: `${checkout} has no branch checked out, and this window accepts onto the HEAD of ${repository.checkout}.`, next: 'Check out a branch there, or open that folder in a window of its own.' });
      const submodule = (await repository.submodules(head.commit)).find((path) => isInside(folder, path));
      if (submodule !== undefined) throw new Refused({ reason: 'inside-submodule', message: `${displayFolder(folder)} lies in the submodule ${submodule}, which is a repository of its own.`, next: 'Open the submodule’s folder and delegate there.' });
      if (folder !== '' && (await repository.list(head.commit, folder)).length === 0) throw new Refused({ reason: 'folder-missing', message: `${displayFolder(folder)} holds no committed file at ${head.commit.slice(0, 7)}.`, next: 'Commit something there first, or delegate the folder above.' });
      const { warnings } = await rulesAt(repository, head.commit);
      const { files: uncommitted, nestedRepositories } = await repository.uncommitted(checkout);
      const inside = uncommitted.filter((path) => isInside(path, folder));
      const alreadyThere = [...this.state().episodes.values()].filter((e) => e.world.path === folder && e.phase.name !== 'ended').map((e) => e.id);
      return { folder, commit: head.commit, head, uncommittedInside: inside, uncommittedElsewhere: uncommitted.length - inside.length, alreadyThere, nestedRepositories: nestedRepositories.filter((path) => isInside(path, folder)), configWarnings: warnings };
    });
  }

  delegate(request: DelegationRequest): Promise<Result<EpisodeId>> {
    const { plan, goal, model, limits } = request;
    return this.#asOwner(async () => {
      const rules = await rulesAt(this.#ports.repository, plan.commit);
      const told = await this.#dispatch({
        type: 'delegate', tag: this.#ports.ledger.tag, world: { commit: plan.commit, path: plan.folder },
        target: plan.head.kind === 'branch' ? { kind: 'branch', ref: plan.head.ref } : { kind: 'detached' },
        goal: goal ?? surveyGoal(plan.folder), role: goal === null ? 'surveyor' : 'executor', model,
        limits: narrowLimits(limits, rules.limits), uncommittedElsewhere: plan.uncommittedElsewhere, configWarnings: [...rules.warnings, ...limitsAbove(limits, rules.limits).map((words) => `genesis.toml: ${words}`)],
      });
      const started = told[0];
      if (started?.type !== 'episode.started') throw new Error('a delegation was accepted without having started');
      return started.episode;
    });
  }

  answer(episode: EpisodeId, answer: Answer): Promise<Result<void>> {
    return this.#asOwner(async () => {
      await this.#dispatch({ type: 'answer', episode, answer });
      this.#questions.deliver(episode, answer);
    });
  }

  async transcript(episode: EpisodeId): Promise<readonly TranscriptEntry[]> {
    const entries: TranscriptEntry[] = [];
    for await (const entry of this.#ports.transcripts.read(episode)) entries.push(entry);
    return entries;
  }

  transcriptReader(episode: EpisodeId): TranscriptReader {
    return this.#ports.transcripts.reader(episode);
  }

  message(episode: EpisodeId, words: string): Promise<Result<void>> {
    return this.#asOwner(async () => { await this.#dispatch({ type: 'message', episode, words }); });
  }

  cancel(episode: EpisodeId): Promise<Result<void>> {
    return this.#asOwner(async () => { await this.#dispatch({ type: 'cancel', episode }); });
  }

  stop(episode: EpisodeId): Promise<Result<void>> {
    return this.#asOwner(async () => { await this.#dispatch({ type: 'stop', episode }); });
  }

  async stopEverything(): Promise<void> {
    if (this.readOnly()?.kind === 'other-window') await this.#ports.inbox.send('stop-everything', STOP_ANSWER_MS);
    else this.#stopAll();
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

  planAccept(episode: EpisodeId, files: readonly FilePath[] | null): Promise<Result<AcceptPlan>> {
    return result(() => this.#acceptance.plan(episode, files));
  }

  runOnce(request: RunOnceRequest): Promise<Result<Evidence>> {
    return this.#asOwner(() => this.#saying(request, (told) => runOnce(told, this.#ports, this.#log, this.#acceptance, this.#confirmRun)));
  }

  accept(request: AcceptRequest): Promise<Result<Accepted>> {
    return this.#asOwner(() => this.#saying(request, (told) => this.#acceptance.accept(told)));
  }

  undo(episode: EpisodeId, accept: MoveId, options: UndoOptions): Promise<Result<CommitId>> {
    return this.#asOwner(() => this.#acceptance.undo(episode, accept, options));
  }

  reject(episode: EpisodeId, reason: string): Promise<Result<void>> {
    return this.#asOwner(async () => { await this.#dispatch({ type: 'reject', episode, reason }); });
  }

  addRejectReason(episode: EpisodeId, reason: string): Promise<Result<void>> {
    return this.#asOwner(async () => { await this.#dispatch({ type: 'add reason', episode, reason }); });
  }

  withdrawReject(episode: EpisodeId): Promise<Result<void>> {
    return this.#asOwner(async () => { await this.#dispatch({ type: 'withdraw reject', episode }); });
  }

  rework(episode: EpisodeId, words: string, model?: ModelRef): Promise<Result<void>> {
    return this.#asOwner(() => sendBack(episode, { words, model }, { log: this.#log, work: this.#work, proposals: this.#proposals, acceptance: this.#acceptance, retention: (accept) => this.retention(accept) }));
  }

  diskUse(): DiskUse | null {
    return this.#disk.use;
  }

  async close(): Promise<void> {
    for (const disposable of this.#disposables) disposable.dispose();
    this.#work.haltAll();
    await Promise.all([this.#work.allDone(), this.#outlook.close(), this.#disk.close(), this.#start.close()]);
    await this.#ports.ledger.close();
    await this.#ports.close();
  }

  /** Only the owner takes messages: another window would take them away from it. */
  #listen(): void {
    this.#inbox?.dispose();
    this.#inbox = this.readOnly() === null ? this.#ports.inbox.receive(() => this.#stopAll()) : undefined;
  }

  /** A history that could be read only in part does not know which candidates there are. */
  readonly #rightRefs = async (): Promise<void> => {
    if (this.#warnings.length === 0) await this.#proposals.rightAllRefs();
  };

  readonly #confirmRun: CheckRequest['mayRun'] = async (command, purpose) => {
    const { permissions, person, sandbox, network } = this.#ports;
    if ((await sandbox.settled()).kind === 'ready') {
      if (network.level() !== null) return true;
      const level = await person.chooseNetwork({ kind: 'network', command });
      if (level !== null) await network.rememberLevel(level);
      return level !== null;
    }
    if (permissions.allows(command)) return true;
    const prefix = permissions.prefixOf(command);
    const answer = await person.confirmRun({ kind: 'run', command, prefix: prefix === null ? null : [...prefix], purpose });
    if (answer.choice === 'always' && prefix !== null) await permissions.remember(prefix);
    return answer.choice === 'run' || answer.choice === 'always';
  };

  /** What a verdict is doing shows in the agent's row too. */
  async #saying<R extends Pick<AcceptRequest, 'episode' | 'progress'>, T>(request: R, work: (told: R) => Promise<T>): Promise<T> {
    try {
      return await work({ ...request, progress: (words: string) => { this.#live.say(request.episode, words); request.progress(words); } });
    } finally {
      this.#live.clear(request.episode);
    }
  }

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

  /** What needs no ledger: any window may do it, but for one that may run nothing of the repository (a filter, a signing program). */
  #ifTrusted<T>(work: () => Promise<T>): Promise<Result<T>> {
    return this.#ports.settings.trusted() ? result(work) : Promise.resolve({ ok: false, refusal: readOnlyRefusal({ kind: 'untrusted' }) });
  }

  /** Stop Everything: no further request from anyone, then each takes what it has. */
  #stopAll(): void {
    this.#work.haltAll();
    if (this.readOnly() !== null) return;
    for (const episode of this.state().episodes.values()) {
      // Halted they are already; what could not be written is asked about by the next start.
      const { name } = episode.phase;
      if (name === 'preparing' || name === 'running' || name === 'asking' || name === 'interrupted') void this.#log.dispatch({ type: 'stop', episode: episode.id }).catch(() => undefined);
    }
  }

  #tell(): void {
    if (this.#telling) return;
    this.#telling = true;
    const after = new AbortController();
    void this.#ports.clock.sleep(TELL_EVERY_MS, after.signal).then(() => {
      this.#telling = false;
      queueMicrotask(() => { this.#changed.tell(); });
    }).catch(() => undefined);
  }
}
