import * as vscode from 'vscode';
import type { Sandbox } from '../runtime/ports/sandbox.ts';
import type { Spending } from '../runtime/ports/spending.ts';
import { agentCommands } from './agents/agentCommands.ts';
import { AgentDocuments } from './agents/agentDocuments.ts';
import { SpendingDocuments } from './agents/spendingDocuments.ts';
import { StatusBar, statusCommands } from './agents/statusBar.ts';
import { TranscriptFiles } from './agents/transcriptFiles.ts';
import { registerCommands } from './commands/handlers.ts';
import { delegationCommands } from './delegation/delegationCommands.ts';
import { firstCommitCommands } from './firstCommit/firstCommitCommand.ts';
import { historyCommands } from './history/historyCommands.ts';
import { RebuildOffer } from './history/rebuildOffer.ts';
import { LongTextEditor } from './longText/longTextEditor.ts';
import { tellProfileProblems } from './models/profileProblems.ts';
import { chooseModel, modelCommands, type ModelDependencies } from './models/registerModels.ts';
import { permissionCommands } from './permissions/permissionCommands.ts';
import type { PermissionStore } from './permissions/permissionStore.ts';
import type { CommandDocuments } from './questions/commandDocuments.ts';
import { Notifications } from './questions/notifications.ts';
import { BaseFiles } from './review/baseFiles.ts';
import { BASE_SCHEME, CHANGE_SCHEME } from './review/changeAddress.ts';
import { ChangeFiles } from './review/changeFiles.ts';
import { ChangeTabs } from './review/changeTabs.ts';
import { openChanges, reviewCommands } from './review/reviewCommands.ts';
import { readSettings } from './settings.ts';
import { verdictCommands } from './verdicts/verdictCommands.ts';
import { registerViews, type RegisteredViews } from './views/registerViews.ts';
import type { Agent, Worlds } from './worlds.ts';

/** What the editor's part is given; it makes nothing of the repositories or the network itself. */
interface EditorDependencies extends ModelDependencies {
  readonly worlds: Worlds;
  readonly spending: Pick<Spending, 'today' | 'stopEverything'>;
  readonly sandbox: Sandbox;
  /** Shows a command to whom it asks to run, also in the middle of a verdict. */
  readonly commands: CommandDocuments;
  /** By a repository's common git folder. */
  readonly permissionsOf: (commonDir: string) => PermissionStore;
}

/** Everything the person sees: views, commands, documents, notifications. A table of contents of `src/editor`. */
export function registerEditor(deps: EditorDependencies): RegisteredViews {
  const { worlds, spending, commands, sandbox } = deps;
  const views = registerViews(worlds, sandbox);
  const files = new ChangeFiles(worlds);
  const tabs = new ChangeTabs(worlds);
  const texts = new LongTextEditor();
  const documents = new AgentDocuments(worlds);
  const transcripts = new TranscriptFiles(worlds);
  const spendingPages = new SpendingDocuments(worlds);
  const showAgent = (agent: Agent) => documents.show(agent);
  const status = { worlds, spending, sandbox, daily: () => readSettings().daily, tape: () => readSettings().tape, showAgent };
  const history = { worlds, limits: () => readSettings().limits };
  const all: { dispose(): unknown }[] = [
    views, files, tabs,
    vscode.workspace.registerFileSystemProvider(BASE_SCHEME, new BaseFiles(worlds), { isReadonly: true }),
    vscode.workspace.registerFileSystemProvider(CHANGE_SCHEME, files),
    texts.register(),
    documents.register(),
    transcripts.register(),
    spendingPages.register(),
    commands.register(),
    tellProfileProblems(() => readSettings().modelProblems),
    new StatusBar(status),
    new RebuildOffer(history),
    new Notifications(worlds, { openChanges, showAgent, texts, commands }),
    registerCommands({
      ...delegationCommands({ ...deps, texts, limits: () => readSettings().limits, showAgent }),
      ...firstCommitCommands({ worlds, committed: () => views.refreshRepositories() }),
      ...modelCommands(deps),
      ...permissionCommands(deps),
      ...reviewCommands({ worlds, tabs }),
      ...verdictCommands({ worlds, tabs, files, texts, openChanges, showAgent, chooseModel: (title) => chooseModel(title, deps) }),
      ...historyCommands(history),
      ...texts.commands(),
      ...agentCommands({ worlds, tabs, documents, transcripts, texts, commands, stopEverything: async () => { await Promise.all([spending.stopEverything(), ...worlds.all().map((world) => world.stopEverything())]); } }),
      ...statusCommands(status),
      ...spendingPages.commands(),
    }),
  ];
  return { ...views, dispose: () => { for (const disposable of all) disposable.dispose(); } };
}
