import path from 'node:path';
import { openRepository } from '../../src/adapters/openRepository.ts';
import { discover } from '../../src/adapters/git/reading/discovery.ts';
import { OpenAiCompatibleModels } from '../../src/adapters/models/openaiCompatible.ts';
import type { RunRepositoryCommand } from '../../src/adapters/commands/repositoryCommand.ts';
import { runCommand } from '../../src/adapters/commands/runCommand.ts';
import { MachineSandbox } from '../../src/adapters/sandbox/machineSandbox.ts';
import { openSpending } from '../../src/adapters/spending/openSpending.ts';
import { systemClock } from '../../src/adapters/systemClock.ts';
import { COMPACT_AT } from '../../src/core/episode/compaction.ts';
import type { ModelRef } from '../../src/core/episode/model.ts';
import { absolutePath, filePath, moveId, type AbsolutePath, type EpisodeId, type FolderPath } from '../../src/core/ids.ts';
import type { Answer, Question } from '../../src/core/ledger/events.ts';
import { DAILY_LIMITS, DELEGATION_LIMITS, type DailyLimits, type Limits } from '../../src/core/limits/limits.ts';
import { prefixAllows, prefixToRemember } from '../../src/core/runPermission/commandPrefix.ts';
import { standingAccept, type Episode, type Phase } from '../../src/core/world/state.ts';
import { modelRoutes } from '../../src/runtime/modelRoutes.ts';
import type { Result } from '../../src/runtime/openWorld.ts';
import { ModelSlots } from '../../src/runtime/modelSlots.ts';
import { World } from '../../src/runtime/world.ts';
import type { Candidates } from '../../src/runtime/ports/candidates.ts';
import type { Clock } from '../../src/runtime/ports/clock.ts';
import type { Lines } from '../../src/runtime/ports/lines.ts';
import type { Models } from '../../src/runtime/ports/models.ts';
import type { WorldPorts } from '../../src/runtime/ports/worldPorts.ts';
import type { Settings } from '../../src/runtime/ports/settings.ts';
import type { NetworkPermissions, Sandbox } from '../../src/runtime/ports/sandbox.ts';
import { rememberedNetwork } from './rememberedNetwork.ts';
import type { ServerTraits } from '../../src/core/models/providers.ts';
import { testServer } from './testServer.ts';
import { makeTemporaryFolder, removeFolder } from './temporaryFolder.ts';

export interface TestWorldOptions {
  readonly baseUrl?: string;
  readonly settings?: Partial<Settings>;
  readonly daily?: DailyLimits;
  /** What the person says when a verdict asks whether a command may run. */
  readonly confirm?: (question: Extract<Question, { kind: 'run' }>) => Answer;
  /** What moves lines, with a hold put on it where a test is about a crash. */
  readonly lines?: (lines: Lines) => Lines;
  readonly candidates?: (candidates: Candidates) => Candidates;
  /** In place of the one that is reached over HTTP. */
  readonly models?: Models;
  /** Left out, there is none, and commands run with the person's rights. */
  readonly sandbox?: Sandbox;
  readonly run?: RunRepositoryCommand;
  readonly network?: NetworkPermissions;
  readonly traits?: Partial<ServerTraits>;
  /** Where nothing is about real time: one whose sleeps are short. */
  readonly clock?: Clock;
  /** In the place of those that are on disk. */
  readonly ports?: Partial<Pick<WorldPorts, 'ledger' | 'transcripts' | 'spending' | 'tools'>>;
  /** What models are asked through: a tape. */
  readonly modelsThrough?: (models: Models) => Models;
  /** Where worktrees and spending are; kept when the same world is opened again. */
  readonly machine?: string;
  readonly submodules?: 'leave' | 'init';
}

/** A world over a real repository with the real adapters: git, files, HTTP. Only the person's clicks are given. */
export class TestWorld {
  readonly world: World;
  readonly machine: string;
  readonly #close: () => Promise<void>;
  readonly #model: ModelRef;

  private constructor(world: World, machine: string, model: ModelRef, close: () => Promise<void>) {
    this.world = world;
    this.machine = machine;
    this.#model = model;
    this.#close = close;
  }

  static async open(checkout: string, options: TestWorldOptions = {}): Promise<TestWorld> {
    const machine = options.machine ?? makeTemporaryFolder('machine');
    const place = await discover(checkout);
    if (!place) throw new Error(`${checkout} is no repository`);
    const ports = await openRepository(place, { worktreeRoot: path.join(machine, 'worktrees') as AbsolutePath, checks: 'warm', submodules: () => options.submodules ?? 'leave', run: options.run ?? runCommand });
    const spending = openSpending(path.join(machine, 'spending') as AbsolutePath);
    const remembered: (readonly string[])[] = [];
    const world = await World.open({
      ...ports,
      lines: options.lines?.(ports.lines) ?? ports.lines,
      candidates: options.candidates?.(ports.candidates) ?? ports.candidates,
      spending,
      slots: new ModelSlots(),
      models: (options.modelsThrough ?? ((models: Models) => models))(options.models ?? modelRoutes({ openai: new OpenAiCompatibleModels({ keyFor: () => Promise.resolve(null), serverOf: () => testServer(options.traits) }), vscode: { ask: () => Promise.reject(new Error('no vscode here')) } })),
      clock: options.clock ?? systemClock,
      person: { confirmRun: (question) => Promise.resolve(options.confirm?.(question) ?? { choice: 'run', words: '' }), chooseNetwork: () => Promise.resolve('off') },
      permissions: {
        allows: (command) => remembered.some((prefix) => prefixAllows(prefix, command)),
        prefixOf: prefixToRemember,
        remember: (prefix) => { remembered.push(prefix); return Promise.resolve(); },
      },
      sandbox: options.sandbox ?? new MachineSandbox({ enabled: false, environment: process.env, platform: process.platform }),
      network: options.network ?? rememberedNetwork(),
      settings: { trusted: () => true, daily: () => options.daily ?? DAILY_LIMITS, commitHooks: () => 'run', acceptStyle: () => 'auto', worktreeBytes: () => Infinity, worktreeCheckout: () => 'auto', maxOutputTokens: () => 8_192, slots: () => 8, contextWindow: () => null, compactAt: () => COMPACT_AT, ...options.settings },
      ...options.ports,
    });
    const model: ModelRef = { kind: 'openai', profile: 'test', baseUrl: options.baseUrl ?? 'http://127.0.0.1:9/v1', model: 'scripted', prices: { fresh: 1, cached: 0.1, output: 4 } };
    return new TestWorld(world, machine, model, async () => {
      await world.close();
      await spending.close();
    });
  }

  /** `checkout`: from another one than that which was opened. */
  async delegate(folder: string, goal: string | null, limits: Partial<Limits> = {}, checkout?: string): Promise<EpisodeId> {
    const plan = value(await this.world.prepareDelegation(folder as FolderPath, checkout === undefined ? undefined : absolutePath.parse(checkout)));
    return value(await this.world.delegate({ plan, goal, model: goal === null ? { kind: 'survey' } : this.#model, limits: { ...DELEGATION_LIMITS, ...limits } }));
  }

  episode(id: EpisodeId): Episode {
    const episode = this.world.state().episodes.get(id);
    if (!episode) throw new Error(`no episode ${id}`);
    return episode;
  }

  /** Resolves once an episode is in the phase. */
  reaches<N extends Phase['name']>(id: EpisodeId, name: N, withinMs?: number): Promise<Extract<Phase, { name: N }>> {
    const look = (): Extract<Phase, { name: N }> | undefined => {
      const phase = this.world.state().episodes.get(id)?.phase;
      return phase?.name === name ? (phase as Extract<Phase, { name: N }>) : undefined;
    };
    return this.becomes(look, () => `${id} did not come to ${name}: ${JSON.stringify(this.world.state().episodes.get(id)?.phase)} ${JSON.stringify(this.world.live(id))}`, withinMs);
  }

  /** Resolves with what `look` gives once that is not undefined; looked at whenever the world changes. */
  becomes<T>(look: () => T | undefined, otherwise: () => string, withinMs = 45_000): Promise<T> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        const found = look();
        if (found === undefined) return;
        clearTimeout(timer);
        subscription.dispose();
        resolve(found);
      };
      const subscription = this.world.onChange(check);
      const timer = setTimeout(() => {
        subscription.dispose();
        reject(new Error(otherwise()));
      }, withinMs);
      check();
    });
  }

  accept(id: EpisodeId, more: { override?: string; message?: string; branch?: string; files?: readonly string[]; signal?: AbortSignal; progress?: (words: string) => void } = {}): ReturnType<World['accept']> {
    const { phase } = this.episode(id);
    const candidate = phase.name === 'waiting' ? phase.candidate : 0;
    return this.world.accept({
      episode: id, candidate, to: more.branch === undefined ? { kind: 'line' } : { kind: 'new-branch', ref: `refs/heads/${more.branch}` as never }, message: more.message ?? 'Accepted',
      override: more.override ?? null, files: more.files === undefined ? null : more.files.map((file) => filePath.parse(file)), signal: more.signal ?? new AbortController().signal, progress: more.progress ?? (() => undefined), unsaved: () => Promise.resolve([]),
    });
  }

  /** The newest accept, unless a test names another. */
  undo(id: EpisodeId, accept = standingAccept(this.world.state(), id)?.prepared.move ?? moveId.parse(`${id}/m1`)): ReturnType<World['undo']> {
    return this.world.undo(id, accept, { signal: new AbortController().signal, unsaved: () => Promise.resolve([]) });
  }

  /** As when a window closes; the machine's folder stays, for a world that is opened again. */
  close(): Promise<void> {
    return this.#close();
  }

  forget(): void {
    removeFolder(this.machine);
  }
}

export function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.refusal)}`);
  return result.value;
}
