import { episodeRefs } from '../core/candidate/refs.ts';
import { unreachable } from '../core/exhaustive.ts';
import type { AbsolutePath, CommitId, EpisodeId } from '../core/ids.ts';
import { Refused, type Refusal } from '../core/refusal.ts';
import type { Effect } from '../core/world/decision.ts';
import { cannot } from '../core/world/deciders/precondition.ts';
import { baseOf, newestCommit, type Episode } from '../core/world/state.ts';
import type { Acceptance } from './acceptance/acceptance.ts';
import { EpisodeRunner, readConversation } from './episodeRunner.ts';
import type { LiveStatus } from './liveStatus.ts';
import type { CheckRequest } from './ports/checks.ts';
import type { PreparedWorktree } from './ports/worktrees.ts';
import type { WorldPorts } from './ports/worldPorts.ts';
import type { Proposals } from './proposals.ts';
import type { Questions } from './questions.ts';
import type { Records } from './record.ts';
import { worktreeRules } from './rules.ts';
import type { WorldLog } from './worldLog.ts';

interface EpisodeWorkParts {
  readonly ports: WorldPorts;
  readonly log: WorldLog;
  readonly live: LiveStatus;
  readonly proposals: Proposals;
  readonly questions: Questions;
  readonly acceptance: Acceptance;
  readonly records: Records;
  readonly confirmRun: CheckRequest['mayRun'];
}

/** Performs the deciders' effects: one piece of work at a time for each episode, in the order in which it was asked for. */
export class EpisodeWork {
  readonly #parts: EpisodeWorkParts;
  /** Changes that are just being sent back: their worktrees are needed again. */
  readonly #kept = new Set<EpisodeId>();
  /** Of each episode the work that was begun or waits its turn, the newest last. */
  readonly #underWay = new Map<EpisodeId, { readonly abort: AbortController; readonly done: Promise<void> }[]>();

  constructor(parts: EpisodeWorkParts) {
    this.#parts = parts;
  }

  perform(effect: Effect): void {
    const { ports, log, live, proposals, questions, acceptance, records } = this.#parts;
    switch (effect.do) {
      case 'prepare worktree':
        this.#start(effect.episode, (signal) => this.#prepare(effect.episode, signal));
        break;
      case 'continue':
        this.#start(effect.episode, async (signal) => {
          if (await this.#hasWorktree(effect.episode)) await new EpisodeRunner({ ...ports, log, live }, proposals, questions, effect.episode, signal).run();
        });
        break;
      case 'halt':
        for (const { abort } of this.#underWay.get(effect.episode) ?? []) abort.abort();
        break;
      case 'hand in':
        live.say(effect.episode, 'taking what it has done so far');
        this.#start(effect.episode, async () => {
          if (await this.#hasWorktree(effect.episode, 'also damaged')) await proposals.handIn(log.episode(effect.episode), await readConversation(ports, effect.episode), effect.why, effect.otherwise);
        });
        break;
      case 'close':
        this.#start(effect.episode, () => this.#close(effect.episode));
        break;
      case 'record':
        this.#start(effect.episode, () => records.keep(effect.episode));
        break;
      case 'recover move': {
        const move = log.state.moves.get(effect.move);
        if (move) this.#start(move.prepared.episode, () => acceptance.recover(move));
        break;
      }
      case 'raise daily cap': {
        const { costUsd, allTokens } = ports.settings.daily();
        // In the episode's turn: the request that comes after it must find the cap raised.
        this.#start(effect.episode, () => ports.spending.raise(effect.limit === 'daily cost' ? { usd: costUsd, unpricedTokens: 0 } : { usd: 0, unpricedTokens: allTokens }));
        break;
      }
      default: unreachable(effect);
    }
  }

  /**
   * Brings the waiting change's files into the episode's worktree and gives its commit, and the worktree where it had to be
   * made again. Refused before anything is touched where no change waits: the worktree may hold work that is in no change yet.
   */
  async prepareRework(id: EpisodeId): Promise<{ readonly commit: CommitId; readonly made: PreparedWorktree | null }> {
    const waits = this.#parts.log.episode(id);
    if (waits.phase.name !== 'waiting') throw new Refused(cannot(waits, 'sent back'));
    await this.idle(id);
    const episode = this.#parts.log.episode(id);
    return { commit: newestCommit(episode), made: await this.#worktreeWith(episode) };
  }

  /** Does something while the episode's worktree must not be given back. */
  async keepingWorktree<T>(id: EpisodeId, work: () => Promise<T>): Promise<T> {
    this.#kept.add(id);
    try {
      return await work();
    } finally {
      this.#kept.delete(id);
    }
  }

  /** Takes the worktree of a change that waits off the disk, unless somebody has begun to need it. What cannot be saved stays. */
  async giveBack(id: EpisodeId): Promise<void> {
    this.#start(id, async () => {
      const { worktree, phase } = this.#parts.log.episode(id);
      if (worktree === null || phase.name !== 'waiting' || this.#kept.has(id)) return;
      await this.#parts.ports.worktrees.giveBack(id, worktree).catch(() => undefined);
    });
    await this.idle(id);
  }

  /** Adds the person's words to the conversation, after closing a `finish` that a crash left open. */
  async say(id: EpisodeId, text: string): Promise<void> {
    const { ports, log } = this.#parts;
    const conversation = await readConversation(ports, id);
    const open = conversation.pending[0];
    const at = log.now();
    const closing = open?.name === 'finish' ? [{ type: 'finished', at, call: open.id, number: log.episode(id).candidates.at(-1)?.number ?? 1 } as const] : [];
    await ports.transcripts.append(id, [...closing, { type: 'said', at, by: 'person', message: { role: 'user', text } }]);
  }

  /** Resolves when nothing is under way for an episode. */
  async idle(id: EpisodeId): Promise<void> {
    await this.#underWay.get(id)?.at(-1)?.done;
  }

  haltAll(): void {
    for (const pieces of this.#underWay.values()) for (const { abort } of pieces) abort.abort();
  }

  async allDone(): Promise<void> {
    await Promise.all([...this.#underWay.values()].flat().map((w) => w.done));
  }

  #start(id: EpisodeId, work: (signal: AbortSignal) => Promise<void>): void {
    const before = this.#underWay.get(id) ?? [];
    const abort = new AbortController();
    const done = (before.at(-1)?.done ?? Promise.resolve()).then(() => work(abort.signal)).catch((error: unknown) => this.#failed(id, error)).finally(() => {
      const left = (this.#underWay.get(id) ?? []).filter((piece) => piece.abort !== abort);
      if (left.length === 0) this.#underWay.delete(id);
      else this.#underWay.set(id, left);
      this.#parts.live.clear(id);
    });
    this.#underWay.set(id, [...before, { abort, done }]);
  }

  /** What nobody foresaw, and what could not be made, becomes a question to the person: never a silent end. */
  async #failed(id: EpisodeId, error: unknown): Promise<void> {
    const refusal: Refusal = error instanceof Refused ? error.refusal : { reason: 'git-failed', message: `Something went wrong that was not foreseen: ${error instanceof Error ? error.message : String(error)}.`, next: 'Try again; if it stays so, report it.' };
    const withoutFilters = refusal.reason === 'filter-missing' ? ['without-filters' as const] : [];
    const also = this.#parts.log.episode(id).worktree === null ? withoutFilters : ['keep' as const];
    await this.#parts.log.dispatch({ type: 'ask', episode: id, question: { kind: 'failed', words: `${refusal.message} ${refusal.next}`, ...(also.length === 0 ? {} : { also: [...also] }) } });
  }

  /**
   * Takes the worktree over, also from a window before: false where it is gone, and the episode with it. One that cannot be
   * used is asked about; its files may still be proposed where they can be seen.
   */
  async #hasWorktree(id: EpisodeId, enough: 'whole' | 'also damaged' = 'whole'): Promise<boolean> {
    const episode = this.#parts.log.episode(id);
    if (episode.worktree === null) throw new Error(`${id} goes on without a worktree`);
    const adopted = await this.#parts.ports.worktrees.adopt(id, episode.worktree);
    switch (adopted.kind) {
      case 'ready': return true;
      case 'gone':
        await this.#parts.proposals.worktreeGone(episode);
        return false;
      case 'damaged':
        if (enough === 'also damaged') return true;
        throw new Refused(adopted.refusal);
      case 'out of sight': throw new Refused(adopted.refusal);
      default: return unreachable(adopted);
    }
  }

  async #prepare(id: EpisodeId, signal: AbortSignal): Promise<void> {
    const { ports: { repository, worktrees, settings }, log, live, proposals, questions } = this.#parts;
    const episode = log.episode(id);
    await repository.setRef(episodeRefs(id).base, episode.world.commit);
    const prepared = await worktrees.prepare({
      episode: id, commit: baseOf(episode), ...await worktreeRules(repository, episode, settings.worktreeCheckout()), withoutFilters: episode.withoutFilters, signal,
      progress: (words) => live.say(id, words),
      mayRun: async (command) => (await questions.mayRun(id, command, 'setup', signal)).allowed,
    });
    if (signal.aborted) return;
    // Sent back in a clone where it never worked: it goes on from its change.
    if (episode.candidates.length > 0) await proposals.withUndecided(episode, (commit) => worktrees.reset(prepared.path, commit, baseOf(episode)));
    await log.dispatch({ type: 'worktree prepared', episode: id, worktree: prepared.path, brought: prepared.brought, notes: prepared.notes });
  }

  /** The waiting change's files in the episode's worktree; gives the worktree where it was made again. */
  async #worktreeWith(episode: Episode): Promise<PreparedWorktree | null> {
    const { ports: { worktrees, repository, settings }, live, proposals, confirmRun } = this.#parts;
    const setTo = (worktree: AbsolutePath): Promise<void> => proposals.withUndecided(episode, (commit) => worktrees.reset(worktree, commit, baseOf(episode)));
    if (episode.worktree !== null && (await worktrees.adopt(episode.id, episode.worktree)).kind === 'ready') {
      await setTo(episode.worktree);
      return null;
    }
    const made = await worktrees.prepare({
      episode: episode.id, commit: baseOf(episode), ...await worktreeRules(repository, episode, settings.worktreeCheckout()), withoutFilters: episode.withoutFilters, signal: new AbortController().signal,
      progress: (words) => live.say(episode.id, words),
      mayRun: (command) => confirmRun(command, 'setup'),
    });
    await setTo(made.path);
    return made;
  }

  async #close(id: EpisodeId): Promise<void> {
    const { ports, log, records } = this.#parts;
    const episode = log.episode(id);
    if (episode.phase.name !== 'ended') return;
    await records.keep(id);
    await (episode.worktreeKept ? ports.worktrees.release(id) : ports.worktrees.remove(id, episode.worktree));
  }
}
