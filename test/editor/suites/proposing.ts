import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as vscode from 'vscode';
import type { AbsolutePath, EpisodeId, FolderPath } from '../../../src/core/ids.ts';
import { DELEGATION_LIMITS } from '../../../src/core/limits/limits.ts';
import type { Episode } from '../../../src/core/world/state.ts';
import type { ViewId } from '../../../src/editor/contributions.ts';
import type { Row } from '../../../src/editor/views/rowTree.ts';
import type { Worlds } from '../../../src/editor/worlds.ts';
import type { OpenWorld, Result } from '../../../src/runtime/openWorld.ts';
import { quietGitEnvironment } from '../../support/gitEnvironment.ts';
import { call, ScriptedModel, type ScriptedCall } from '../../support/scriptedModel.ts';

/** What the extension gives to tests inside the editor. */
interface Api {
  readonly worlds: Worlds;
  readonly views: { rows(view: ViewId): readonly Row[] };
}

export interface OpenedExtension extends Api {
  readonly world: OpenWorld;
  readonly folder: string;
}

/** The activated extension with the world of the opened folder. */
export async function openedExtension(): Promise<OpenedExtension> {
  const extension = vscode.extensions.getExtension<Api>('worldtree.worldtree');
  const folder = vscode.workspace.workspaceFolders?.[0];
  assert.ok(extension && folder, 'the extension and a folder are there');
  const api = await extension.activate();
  const placed = value(await api.worlds.forFolder(folder.uri));
  return { ...api, world: placed.world, folder: folder.uri.fsPath };
}

/** Lets an agent with a scripted model make a change in the real extension, and waits until it is proposed. */
export async function proposeChange({ world }: OpenedExtension, folder: string, work: readonly ScriptedCall[], subject: string, checkout?: AbsolutePath): Promise<EpisodeId> {
  const finish = call('finish', { subject, report: 'Done as asked.' });
  const model = await ScriptedModel.start({ script: [...work.map((c) => ({ calls: [c] })), { calls: [finish] }, { calls: [finish] }] });
  try {
    const plan = value(await world.prepareDelegation(folder as FolderPath, checkout));
    const id = value(await world.delegate({ plan, goal: subject, model: { kind: 'openai', profile: 'scripted', baseUrl: model.baseUrl, model: 'scripted', prices: { fresh: 1, cached: 0.1, output: 4 } }, limits: DELEGATION_LIMITS }));
    await until(world, `${id} proposes a change`, () => {
      const episode = episodeOf(world, id);
      if (episode.phase.name === 'asking') void world.answer(id, { choice: 'run', words: '' });
      if (episode.phase.name === 'ended') throw new Error(`it ended: ${episode.phase.outcome} ${episode.phase.words}`);
      return episode.phase.name === 'waiting';
    });
    return id;
  } finally {
    await model.stop();
  }
}

/** Waits for changes of the world, without sleeping, until something holds. */
export async function until(world: OpenWorld, what: string, holds: () => boolean, seconds = 50): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const look = () => {
      try {
        if (!holds()) return;
        end();
        resolve();
      } catch (error) {
        end();
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    const timer = setTimeout(() => {
      end();
      reject(new Error(`waited ${String(seconds)} s in vain until ${what}; the agents are: ${[...world.state().episodes.values()].map((e) => `${e.id} ${JSON.stringify(e.phase)}`).join(', ')}`));
    }, seconds * 1000);
    // What VS Code does (tabs, documents) is no change of the world: looked at now and then besides.
    const tick = setInterval(look, 100);
    const subscription = world.onChange(look);
    const end = () => {
      clearTimeout(timer);
      clearInterval(tick);
      subscription.dispose();
    };
    look();
  });
}

export function episodeOf(world: OpenWorld, id: EpisodeId): Episode {
  const episode = world.state().episodes.get(id);
  assert.ok(episode, `${id} is known`);
  return episode;
}

/** The row of an agent in a view, once the view shows it. */
export async function rowOf(extension: OpenedExtension, view: ViewId, id: EpisodeId): Promise<Row> {
  const find = () => extension.views.rows(view).find((row) => row.id.endsWith(`#${id}`));
  await until(extension.world, `${view} shows ${id}`, () => find() !== undefined);
  const row = find();
  assert.ok(row);
  return row;
}

/** Every tab of the window that shows a change. */
export function changeTabs(): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter((tab) => /^e\d+ |\(e\d+ /.test(tab.label));
}

export async function closeAllTabs(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
}

export function git(folder: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: folder, encoding: 'utf8', env: quietGitEnvironment() }).trim();
}

export function value<T>(result: Result<T>): T {
  if (!result.ok) assert.fail(`${result.refusal.message} ${result.refusal.next}`);
  return result.value;
}
