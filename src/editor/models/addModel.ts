import * as vscode from 'vscode';
import { modelName, type ModelRef } from '../../core/episode/model.ts';
import type { Prices } from '../../core/limits/usage.ts';
import { probeCostWords, type Probed } from '../../core/models/connectionProbe.ts';
import { profileRef, type ModelProfile } from '../../core/models/modelProfile.ts';
import { originOf } from '../../core/models/origin.ts';
import { providerName, PROVIDERS, type Provider } from '../../core/models/providers.ts';
import { inBackground, tellDone } from '../tellPerson.ts';
import type { ModelKeys } from './modelKeys.ts';
import type { ToollessModels } from './toolless.ts';

export interface AddModelDependencies {
  readonly keys: ModelKeys;
  readonly profiles: () => readonly ModelProfile[];
  /** Tells whether a model answers, calls tools and tells cached tokens. Costs what `probeCostWords` says. */
  readonly testConnection: (model: ModelRef, signal: AbortSignal) => Promise<Probed>;
  readonly toolless: ToollessModels;
  /** The models that a server lists, for choosing one; empty where it does not tell. */
  readonly listModels: (baseUrl: string, profileId: string) => Promise<readonly string[]>;
}

/** Asks for a model behind an OpenAI-compatible server, tries it, and adds it to the machine's settings. Undefined when given up. */
export async function addModel(deps: AddModelDependencies): Promise<ModelProfile | undefined> {
  const picked = await vscode.window.showQuickPick(providerName.options.map((name) => ({ label: PROVIDERS[name].label, description: PROVIDERS[name].baseUrl ?? 'its address is asked for', name })), { title: 'Add a Model (1/4): Server', placeHolder: 'Whose model?', ignoreFocusOut: true });
  if (!picked) return undefined;
  const { name } = picked;
  const provider = PROVIDERS[name];
  // A hosted provider has one address; servers of one's own are also on other machines and ports.
  const baseUrl = provider.needsKey && provider.baseUrl !== null ? provider.baseUrl : await askBaseUrl(provider.baseUrl ?? '');
  const origin = baseUrl === undefined ? null : originOf(baseUrl);
  if (baseUrl === undefined || origin === null) return undefined;
  const key = await askKey(deps, origin, provider);
  if (!key) return undefined;
  const draft = { id: '', ...(name === 'other' ? {} : { provider: name }), baseUrl, model: '', ...(key.environment === undefined ? {} : { keyEnvironment: key.environment }) };
  const id = uniqueId(name === 'other' ? new URL(baseUrl).hostname : name, deps.profiles());
  const model = await askModel(deps, { ...draft, id });
  if (model === undefined) return undefined;
  const prices = await askPrices(model, provider.needsKey);
  if (!prices) return undefined;
  const profile: ModelProfile = { ...draft, id, model, ...(prices.prices ? { prices: prices.prices } : {}) };
  if (!(await triedOrTrusted(deps, profile))) return undefined;
  // As the person wrote it: an entry that is not understood yet is theirs to mend.
  const own = vscode.workspace.getConfiguration().inspect<unknown>('worldtree.models')?.globalValue;
  await vscode.workspace.getConfiguration().update('worldtree.models', [...(Array.isArray(own) ? own as readonly unknown[] : []), profile], vscode.ConfigurationTarget.Global);
  return profile;
}

async function askBaseUrl(usual: string): Promise<string | undefined> {
  const entered = await vscode.window.showInputBox({
    value: usual, title: 'Add a Model (1/4): Address', prompt: 'Base URL of an OpenAI-compatible server, up to and including /v1', placeHolder: 'https://models.example.com/v1', ignoreFocusOut: true,
    validateInput: (text) => (originOf(text.trim()) === null ? 'An address that starts with http:// or https://' : undefined),
  });
  return entered?.trim().replace(/\/+$/, '');
}

/** The key itself goes to the secret storage at once; what is handed on is only where to find it. */
async function askKey({ keys }: AddModelDependencies, origin: string, { needsKey: needed, keyPage }: Provider): Promise<{ readonly environment?: string } | undefined> {
  const stored = await keys.has(origin);
  const choices = [
    ...(stored ? [{ label: '$(key) Use the Key Stored for This Server', description: origin, means: 'stored' as const }] : []),
    ...(needed ? [] : [{ label: '$(circle-slash) No Key', description: 'usual for a server on this machine', means: 'none' as const }]),
    { label: '$(edit) Enter a Key…', description: `kept in the secret storage, sent to ${origin} only`, means: 'enter' as const },
    { label: '$(terminal) Read It from an Environment Variable…', description: 'of the process that VS Code runs extensions in', means: 'environment' as const },
    ...(needed ? [{ label: '$(circle-slash) No Key', description: 'the server asks for none', means: 'none' as const }] : []),
  ];
  const choice = await vscode.window.showQuickPick(choices, { title: 'Add a Model (2/4): Key', placeHolder: `How to sign in to ${origin}?${keyPage === null ? '' : ` Keys are handed out at ${keyPage}`}`, ignoreFocusOut: true });
  switch (choice?.means) {
    case undefined: return undefined;
    case 'stored': case 'none': return {};
    case 'enter': {
      const key = await vscode.window.showInputBox({ title: 'Add a Model (2/4): Key', prompt: `Key for ${origin}. It is kept in VS Code’s secret storage and sent nowhere else.`, password: true, ignoreFocusOut: true, validateInput: (text) => (text.trim() === '' ? 'Paste the key here' : undefined) });
      if (key === undefined) return undefined;
      await keys.store(origin, key.trim());
      return {};
    }
    case 'environment': {
      const name = await vscode.window.showInputBox({ title: 'Add a Model (2/4): Key', prompt: 'Name of the environment variable that holds the key', placeHolder: 'OPENAI_API_KEY', ignoreFocusOut: true, validateInput: (text) => (/^[A-Za-z_]\w*$/.test(text.trim()) ? undefined : 'The name of a variable, not its value') });
      return name === undefined ? undefined : { environment: name.trim() };
    }
  }
}

async function askModel(deps: AddModelDependencies, draft: ModelProfile): Promise<string | undefined> {
  const title = 'Add a Model (3/4): Model';
  const listed = await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: 'Asking the server for its models' }, () => deps.keys.whileTrying(draft, () => deps.listModels(draft.baseUrl, draft.id)));
  const other = '$(edit) Another…';
  if (listed.length > 0) {
    const picked = await vscode.window.showQuickPick([...listed, other], { title, placeHolder: 'Which of the server’s models?', ignoreFocusOut: true });
    if (picked !== other) return picked;
  }
  const typed = await vscode.window.showInputBox({ title, prompt: 'Name of the model, as the server knows it', ignoreFocusOut: true, validateInput: (text) => (text.trim() === '' ? 'A name is needed' : undefined) });
  return typed?.trim();
}

async function askPrices(model: string, ofProvider: boolean): Promise<{ readonly prices: Prices | null } | undefined> {
  if (!ofProvider) return { prices: null };
  const entered = await vscode.window.showInputBox({
    title: 'Add a Model (4/4): Prices', ignoreFocusOut: true, placeHolder: '1.40 0.26 4.40',
    prompt: `US dollars per million tokens of ${model}: fresh input, cached input, output. Left empty, limits bind by tokens.`,
    validateInput: (text) => (text.trim() === '' || parsePrices(text) ? undefined : 'Three numbers, such as: 1.40 0.26 4.40'),
  });
  return entered === undefined ? undefined : { prices: parsePrices(entered) };
}

function parsePrices(text: string): Prices | null {
  const numbers = text.trim().split(/[\s;/]+/).map((part) => Number(part.replace(/^\$/, '').replace(',', '.')));
  const [fresh, cached, output] = numbers;
  if (numbers.length !== 3 || fresh === undefined || cached === undefined || output === undefined || numbers.some((n) => !Number.isFinite(n) || n < 0)) return null;
  return { fresh, cached, output };
}

/** False when it is not to be added. */
async function triedOrTrusted(deps: AddModelDependencies, profile: ModelProfile): Promise<boolean> {
  const ref = profileRef(profile);
  const choices = [
    { label: '$(beaker) Try It Now', description: probeCostWords(ref), tries: true },
    { label: '$(check) Add It Without Trying', description: 'whether it answers and calls tools shows with the first agent', tries: false },
  ];
  const choice = await vscode.window.showQuickPick(choices, { title: `Add a Model (4/4): ${profile.model}`, placeHolder: 'Does it answer, call tools and tell cached tokens?', ignoreFocusOut: true });
  if (!choice) return false;
  if (!choice.tries) return true;
  const result = await deps.keys.whileTrying(profile, () => tryModel(deps, ref));
  if (result.ok) {
    inBackground(tellDone(`${result.words} It is in your settings as “${profile.id}”.`));
    return true;
  }
  const save = 'Add It Anyway';
  return (await vscode.window.showWarningMessage(`${result.words} ${result.next}`.trim(), { modal: true }, save)) === save;
}

/** Tests a model while the person watches, and remembers whether it calls tools. */
export async function tryModel({ testConnection, toolless }: Pick<AddModelDependencies, 'testConnection' | 'toolless'>, model: ModelRef): Promise<Probed> {
  const result = await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: `Trying ${modelName(model)}`, cancellable: true }, async (_progress, token) => {
    const abort = new AbortController();
    token.onCancellationRequested(() => abort.abort());
    return testConnection(model, abort.signal);
  });
  if (result.ok ? result.tools === 'called' : result.toolless) await toolless.remember(model, result.ok ? null : result.words);
  return result;
}

function uniqueId(wanted: string, profiles: readonly ModelProfile[]): string {
  const taken = new Set(profiles.map((p) => p.id));
  for (let n = 1; ; n++) {
    const id = n === 1 ? wanted : `${wanted}-${String(n)}`;
    if (!taken.has(id)) return id;
  }
}
