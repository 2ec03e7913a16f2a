import * as vscode from 'vscode';
import { modelName, modelRef, pricesOf, type ModelRef } from '../../core/episode/model.ts';
import { profileRef, type ModelProfile } from '../../core/models/modelProfile.ts';
import { usd } from '../../core/projections/amounts.ts';
import { callsNoTools } from '../../core/models/languageModelTools.ts';
import type { ToollessModels } from './toolless.ts';

/** A model server that was found on this machine. */
export interface LocalServer {
  readonly name: string;
  readonly baseUrl: string;
  readonly models: readonly string[];
}

export interface ModelChoice {
  readonly ref: ModelRef;
  readonly from: 'settings' | 'vscode' | 'local';
  readonly name: string;
  /** Where it comes from and what it costs. */
  readonly description: string;
  /** Why it cannot be delegated to; null where nothing speaks against it. */
  readonly refused: string | null;
}

interface ModelChoicesOptions {
  readonly profiles: () => readonly ModelProfile[];
  readonly findLocalServers: () => Promise<readonly LocalServer[]>;
  /** State of this machine, not of a repository. */
  readonly memory: vscode.Memento;
  readonly toolless: ToollessModels;
}

const LAST = 'worldtree.lastModel';

/** What a person can delegate to on this machine. The embedded survey is none of them: it never answers a typed goal. */
export class ModelChoices {
  readonly #options: ModelChoicesOptions;

  constructor(options: ModelChoicesOptions) {
    this.#options = options;
  }

  /** Everything that is there now: configured ones first, then VS Code's own, then local servers. */
  async find(): Promise<readonly ModelChoice[]> {
    const [own, local] = await Promise.all([this.#vscodeModels(), this.#localModels()]);
    return [...this.#profileModels(), ...own, ...local];
  }

  /** The model that was used last, if it is still there and can be delegated to; never another in its place. */
  async last(): Promise<ModelChoice | undefined> {
    const remembered = modelRef.safeParse(this.#options.memory.get(LAST));
    if (!remembered.success) return undefined;
    return (await this.find()).find(({ ref, refused }) => refused === null && isSame(ref, remembered.data));
  }

  async remember(ref: ModelRef): Promise<void> {
    await this.#options.memory.update(LAST, ref);
  }

  #profileModels(): ModelChoice[] {
    return this.#options.profiles().map((profile) => {
      const ref = profileRef(profile);
      return { ref, from: 'settings', name: profile.model, description: `${profile.id} · ${priceWords(ref)}`, refused: this.#options.toolless.reason(ref) };
    });
  }

  async #vscodeModels(): Promise<ModelChoice[]> {
    try {
      const models = await vscode.lm.selectChatModels();
      return models.map((model): ModelChoice => {
        const ref: ModelRef = { kind: 'vscode', id: model.id, name: model.name };
        return { ref, from: 'vscode', name: model.name, description: `${model.vendor}, through VS Code`, refused: callsNoTools(model) ? `${model.name} cannot call tools, says ${model.vendor}.` : this.#options.toolless.reason(ref) };
      });
    } catch {
      // An extension that offers models and fails to list them must not keep the others from being shown.
      return [];
    }
  }

  async #localModels(): Promise<ModelChoice[]> {
    const servers = await this.#options.findLocalServers();
    return servers.flatMap((server) => server.models.map((model): ModelChoice => {
      const ref: ModelRef = { kind: 'openai', profile: server.name, baseUrl: server.baseUrl, model, prices: null };
      return { ref, from: 'local', name: model, description: `${server.name} on this machine`, refused: this.#options.toolless.reason(ref) };
    }));
  }
}

/** `$1.40 in, $4.40 out per M tokens`. */
export function priceWords(ref: ModelRef): string {
  const known = pricesOf(ref);
  if (!known.known) return 'prices not known';
  const { fresh, output } = known.prices;
  return fresh === 0 && output === 0 ? 'free' : `${usd(fresh)} in, ${usd(output)} out per M tokens`;
}

function isSame(a: ModelRef, b: ModelRef): boolean {
  if (a.kind === 'vscode' && b.kind === 'vscode') return a.id === b.id;
  return a.kind === 'openai' && b.kind === 'openai' && a.profile === b.profile && a.baseUrl === b.baseUrl && modelName(a) === modelName(b);
}
