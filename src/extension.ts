import { realpath } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { discover } from './adapters/git/reading/discovery.ts';
import { worktreeRoot as usualWorktreeRoot } from './adapters/machineFolders.ts';
import { testConnection } from './adapters/models/connectionTest.ts';
import { listModels } from './adapters/models/listModels.ts';
import { findLocalServers } from './adapters/models/localServers.ts';
import { OpenAiCompatibleModels } from './adapters/models/openaiCompatible.ts';
import { TapeDeck } from './adapters/models/tapeDeck.ts';
import type { Masked } from './adapters/models/tapeMask.ts';
import { openRepository } from './adapters/openRepository.ts';
import { MachineSandbox } from './adapters/sandbox/machineSandbox.ts';
import { sandboxedCommands } from './adapters/sandbox/repositorySandbox.ts';
import { openSpending } from './adapters/spending/openSpending.ts';
import { systemClock } from './adapters/systemClock.ts';
import { absolutePath, type AbsolutePath } from './core/ids.ts';
import { concurrencyOf, serverOf } from './core/models/modelProfile.ts';
import { originOf } from './core/models/origin.ts';
import { Refused } from './core/refusal.ts';
import { LanguageModelApi } from './editor/models/languageModelApi.ts';
import { ModelChoices } from './editor/models/modelChoices.ts';
import { ModelKeys } from './editor/models/modelKeys.ts';
import { ToollessModels } from './editor/models/toolless.ts';
import { commandPermissions } from './editor/permissions/commandPermissions.ts';
import { networkPermissions } from './editor/permissions/networkPermissions.ts';
import { PermissionStore } from './editor/permissions/permissionStore.ts';
import { CommandDocuments } from './editor/questions/commandDocuments.ts';
import { personAtTheWindow } from './editor/questions/confirmRun.ts';
import { registerEditor } from './editor/registerEditor.ts';
import { readAcceptStyle, readSettings } from './editor/settings.ts';
import { WorkspaceWorlds } from './editor/workspaceWorlds.ts';
import { countedModels } from './runtime/countedModels.ts';
import { modelRoutes } from './runtime/modelRoutes.ts';
import { ModelSlots } from './runtime/modelSlots.ts';
import type { Settings } from './runtime/ports/settings.ts';
import { result } from './runtime/result.ts';
import { World } from './runtime/world.ts';

/** Output tokens of one request to a model whose profile does not say. */
const MAX_OUTPUT_TOKENS = 16_384;

/** Requests at the same time to a model of VS Code, which queues them itself, and to Survey, which answers at once. */
const OTHER_SLOTS = 8;

/** What the extension gives to tests inside the editor, and later to other extensions. */
export interface WorldtreeApi {
  readonly worlds: WorkspaceWorlds;
  readonly views: ReturnType<typeof registerEditor>;
}

let closing: (() => Promise<void>) | undefined;

/** Wires adapters and editor by hand; a table of contents of the product. */
export function activate(context: vscode.ExtensionContext): WorldtreeApi {
  const memory = context.globalState;
  const spending = openSpending(absolutePath.parse(path.join(context.globalStorageUri.fsPath, 'spending')));
  context.subscriptions.push(spending.onWarning((words) => void vscode.window.showWarningMessage(words)));
  const profiles = () => readSettings().models;
  const keys = new ModelKeys({ secrets: context.secrets, memory, profiles, environment: (name) => process.env[name] });
  const openai = new OpenAiCompatibleModels({ keyFor: (profile, origin) => keys.keyFor(profile, origin), serverOf: (ref) => serverOf(ref, profiles()) });
  const toolless = new ToollessModels(memory);
  /** Of all that are open, as git names them and as the person opened them. */
  const checkouts = new Set<string>();
  const models = new TapeDeck({
    models: toolless.noticing(modelRoutes({ openai, vscode: new LanguageModelApi() })),
    setting: () => readSettings().tape,
    masked: async (): Promise<Masked> => ({ home: await spellingsOf([homedir()]), temporary: await spellingsOf([tmpdir()]), worktrees: await spellingsOf([worktreeFolder()]), checkouts: await spellingsOf([...checkouts]), keys: await keys.all() }),
    onProblem: (words) => void vscode.window.showWarningMessage(words),
  });
  context.subscriptions.push(vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration('worldtree.tape')) models.rewind();
  }));
  const slots = new ModelSlots();

  const commands = new CommandDocuments();
  const permissionsOf = (commonDir: string): PermissionStore => new PermissionStore(memory, commonDir);
  const sandbox = new MachineSandbox({ enabled: readSettings().sandboxEnabled, environment: process.env, platform: process.platform });
  const worlds = new WorkspaceWorlds({
    locate: (folder) => result(async () => {
      const place = await discover(folder);
      if (!place) throw new Refused({ reason: 'no-repository', message: 'This folder is in no git repository.', next: 'Open a folder of a repository, or initialise one here with git init and make a first commit.' });
      checkouts.add(place.checkout);
      if (place.folder === '') checkouts.add(folder);
      return { repository: place.commonDir, checkout: place.checkout, folder: place.folder };
    }),
    open: (checkout) => result(async () => {
      const place = await discover(checkout);
      if (!place) throw new Refused({ reason: 'no-repository', message: 'The repository is gone.', next: 'Open its folder again.' });
      const worktreeRoot = worktreeFolder();
      const permissions = permissionsOf(place.commonDir);
      const network = networkPermissions(permissions);
      const run = sandboxedCommands({ machine: sandbox, place, worktreeRoot, network, furtherHosts: () => readSettings().furtherHosts, ...ownPlaces(context) });
      const ports = await openRepository(place, { worktreeRoot, checks: readSettings().checks, submodules: () => readSettings().submodules, run });
      // Not when the first command waits for it.
      void sandbox.settled();
      return World.open({
        ...ports, spending, models, slots,
        clock: systemClock,
        person: personAtTheWindow(commands),
        permissions: commandPermissions(permissions),
        sandbox, network,
        settings: machineSettings(vscode.Uri.file(place.checkout)),
      });
    }),
  });

  const views = registerEditor({
    worlds, commands, permissionsOf, spending, keys, profiles, toolless, sandbox,
    models: new ModelChoices({ profiles, findLocalServers: () => findLocalServers(), memory, toolless }),
    testConnection: (model, signal) => testConnection(countedModels(models, { spending, daily: () => readSettings().daily, clock: systemClock }), model, signal),
    listModels: async (baseUrl, profile) => listModels(baseUrl, (await keys.keyFor(profile, originOf(baseUrl) ?? ''))?.key ?? null, 5_000),
  });
  context.subscriptions.push(views);
  closing = async () => {
    await worlds.close();
    await Promise.all([spending.close(), sandbox.close()]);
  };
  return { worlds, views };
}

export function deactivate(): Promise<void> | undefined {
  return closing?.();
}

/** What the sandbox needs of the extension's own files, and what of VS Code's it keeps from commands. */
function ownPlaces(context: vscode.ExtensionContext): { readonly ownFolders: readonly string[]; readonly editorFolders: readonly string[] } {
  const globalStorage = path.dirname(context.globalStorageUri.fsPath);
  return { ownFolders: [path.join(context.extensionPath, 'dist')], editorFolders: [path.dirname(globalStorage), context.logUri.fsPath] };
}

function worktreeFolder(): AbsolutePath {
  const { worktreeRoot } = readSettings();
  return worktreeRoot === '' ? usualWorktreeRoot() : absolutePath.parse(worktreeRoot);
}

/** As they were named and as the system resolves them: programs print either. */
async function spellingsOf(folders: readonly string[]): Promise<readonly string[]> {
  return [...new Set([...folders, ...await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)))])];
}

function machineSettings(checkout: vscode.Uri): Settings {
  return {
    trusted: () => vscode.workspace.isTrusted,
    daily: () => readSettings().daily,
    commitHooks: () => readSettings().commitHooks,
    acceptStyle: () => readAcceptStyle(checkout),
    worktreeBytes: () => readSettings().worktreeBytes,
    worktreeCheckout: () => readSettings().worktreeCheckout,
    maxOutputTokens: (model) => (model.kind === 'openai' ? readSettings().models.find((p) => p.id === model.profile)?.maxOutputTokens : undefined) ?? MAX_OUTPUT_TOKENS,
    contextWindow: (model) => (model.kind === 'openai' ? readSettings().models.find((p) => p.id === model.profile)?.contextWindow : undefined) ?? null,
    compactAt: () => readSettings().compactAt,
    slots: (model) => (model.kind === 'openai' ? concurrencyOf(model, readSettings().models) : OTHER_SLOTS),
  };
}
