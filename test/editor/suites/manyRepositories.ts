import assert from 'node:assert/strict';
import path from 'node:path';
import { before, describe, it } from 'mocha';
import * as vscode from 'vscode';
import type { EpisodeId } from '../../../src/core/ids.ts';
import type { ViewId } from '../../../src/editor/contributions.ts';
import type { PlacedFolder } from '../../../src/editor/worlds.ts';
import type { OpenWorld } from '../../../src/runtime/openWorld.ts';
import { call } from '../../support/scriptedModel.ts';
import { makeTemporaryRepository } from '../../support/temporaryRepository.ts';
import { episodeOf, git, openedExtension, proposeChange, rowOf, until, value, type OpenedExtension } from './proposing.ts';

/** The workspace of `test/support/editor/manyRepositories.ts`. */
export function manyRepositoriesSuite(): void {
  describe('a workspace of several repositories', () => {
    let extension: OpenedExtension;
    before(async function () {
      this.timeout(120_000);
      extension = await openedExtension();
      await until(extension.world, 'the folders were looked at', () => extension.worlds.ready);
    });

    const folder = (name: string): vscode.Uri => {
      const found = vscode.workspace.workspaceFolders?.find((one) => one.name === name);
      assert.ok(found, `${name} is open`);
      return found.uri;
    };
    const placed = async (at: vscode.Uri): Promise<PlacedFolder> => value(await extension.worlds.forFolder(at));
    const names = (view: ViewId): string[] => extension.views.rows(view).map((row) => row.label).toSorted();
    const heads = (): Record<string, string> => Object.fromEntries(['shop', 'blog', 'next', 'tool'].map((name) => [name, git(folder(name).fsPath, 'rev-parse', 'HEAD')]));
    /** Lets an agent change a folder, from the checkout that it is in. */
    const change = async (at: vscode.Uri, subject: string): Promise<{ world: OpenWorld; id: EpisodeId }> => {
      const { world, folder: inside, checkout } = await placed(at);
      const id = await proposeChange({ ...extension, world }, inside, [call('write_file', { path: path.posix.join(inside, 'changed.md'), content: `${subject}\n` })], subject, checkout);
      return { world, id };
    };
    const accept = async ({ world, id }: { world: OpenWorld; id: EpisodeId }): Promise<void> => {
      const plan = value(await world.planAccept(id, null));
      value(await world.accept({ episode: id, candidate: plan.candidate, to: { kind: 'line' }, message: plan.message, override: null, files: null, signal: new AbortController().signal, progress: () => undefined, unsaved: () => Promise.resolve([]) }));
    };
    const changed = (what: (folders: readonly vscode.WorkspaceFolder[]) => boolean): Promise<void> => new Promise((resolve) => {
      const subscription = vscode.workspace.onDidChangeWorkspaceFolders(() => {
        subscription.dispose();
        resolve();
      });
      assert.ok(what(vscode.workspace.workspaceFolders ?? []), 'VS Code takes the change');
    });

    it('has one world for each repository, also for a folder of it and a linked worktree, by the innermost that holds a folder', async () => {
      const [shop, packages, next, blog, tool] = await Promise.all(['shop', 'packages', 'next', 'blog', 'tool'].map((name) => placed(folder(name))));
      assert.ok(shop && packages && next && blog && tool);
      assert.deepEqual([shop.folder, packages.folder, next.folder], ['', 'packages', '']);
      assert.ok(shop.world === packages.world && shop.world === next.world, 'they share a ledger');
      assert.equal(shop.world.repository.checkout, folder('shop').fsPath);
      assert.equal(next.checkout, folder('next').fsPath);
      assert.deepEqual([blog.world.repository.checkout, tool.world.repository.checkout], [folder('blog').fsPath, folder('tool').fsPath]);
      const within = await placed(vscode.Uri.joinPath(folder('shop'), 'vendor/tool/packages/api'));
      assert.ok(within.world === tool.world);
      assert.equal(within.folder, 'packages/api');
      assert.equal(extension.worlds.all().length, 3);
      assert.deepEqual(names('worldtree.worlds'), ['blog', 'shop', 'tool']);
    });

    it('says why a folder has none', async () => {
      const refused = await extension.worlds.forFolder(folder('plain'));
      assert.equal(refused.ok ? null : refused.refusal.reason, 'no-repository');
      assert.deepEqual(extension.worlds.refusals().map((one) => [one.folder.fsPath, one.refusal.reason]), [[folder('plain').fsPath, 'no-repository']]);
    });

    it('surveys a folder of the linked worktree from that one’s commit, for its branch', async () => {
      const { world } = await placed(folder('next'));
      await vscode.commands.executeCommand('worldtree.survey', vscode.Uri.joinPath(folder('next'), 'packages'));
      const found = () => [...world.state().episodes.values()].find((episode) => episode.role === 'surveyor');
      await until(world, 'the survey waits', () => found()?.phase.name === 'waiting');
      const survey = found();
      assert.deepEqual([survey?.world.commit, survey?.target], [git(folder('next').fsPath, 'rev-parse', 'HEAD'), { kind: 'branch', ref: 'refs/heads/next' }]);
      if (survey) value(await world.reject(survey.id, ''));
    });

    for (const [name, inside] of [['shop', 'packages/api'], ['next', 'packages/api'], ['packages', 'api'], ['blog', ''], ['tool', 'packages']] as const) {
      it(`moves with an accept the branch of ${name} alone, and its rows name the repository`, async function () {
        this.timeout(120_000);
        const repository = name === 'next' || name === 'packages' ? 'shop' : name;
        const moves = name === 'packages' ? 'shop' : name;
        const waiting = await change(vscode.Uri.joinPath(folder(name), inside), `Change ${name}`);
        const named = new RegExp(`^${repository} · `);
        assert.match((await rowOf({ ...extension, world: waiting.world }, 'worldtree.review', waiting.id)).label, named);
        assert.match((await rowOf({ ...extension, world: waiting.world }, 'worldtree.agents', waiting.id)).description ?? '', named);
        const had = heads();
        await accept(waiting);
        const has = heads();
        assert.deepEqual(Object.keys(has).filter((one) => has[one] !== had[one]), [moves]);
        assert.equal(git(folder(moves).fsPath, 'log', '-1', '--format=%s'), `Change ${name}`);
        for (const one of Object.keys(has)) assert.equal(git(folder(one).fsPath, 'status', '--porcelain'), '');
        assert.equal(episodeOf(waiting.world, waiting.id).phase.name, 'ended');
      });
    }

    it('opens a repository whose folder is added, closes one whose folder is removed, and has its history again when it comes back', async function () {
      this.timeout(120_000);
      const added = makeTemporaryRepository({ 'README.md': '# Added\n' }, 'tool');
      const addedName = `${path.basename(path.dirname(added.folder))}/tool`;
      try {
        await changed((now) => vscode.workspace.updateWorkspaceFolders(now.length, 0, { uri: vscode.Uri.file(added.folder), name: 'added' }));
        await until(extension.world, 'the added one is shown, and told from the one that has its name', () => ['vendor/tool', addedName].every((name) => names('worldtree.worlds').includes(name)));
        await changed((now) => vscode.workspace.updateWorkspaceFolders(now.findIndex((one) => one.name === 'added'), 1));
        await until(extension.world, 'the added one is gone', () => names('worldtree.worlds').includes('tool') && !names('worldtree.worlds').includes(addedName));

        const blog = folder('blog');
        const { world } = await placed(blog);
        const known = world.state().episodes.size;
        assert.ok(known > 0);
        await changed((now) => vscode.workspace.updateWorkspaceFolders(now.findIndex((one) => one.name === 'blog'), 1));
        await until(extension.world, 'its rows are gone', () => !extension.views.rows('worldtree.review').some((row) => row.label.startsWith('blog · ')));
        await changed((now) => vscode.workspace.updateWorkspaceFolders(now.length, 0, { uri: blog, name: 'blog' }));
        const again = await placed(blog);
        assert.ok(again.world !== world, 'it was closed');
        assert.equal(again.world.state().episodes.size, known);
        await until(again.world, 'it owns its ledger again', () => again.world.readOnly() === null);
      } finally {
        added.remove();
      }
    });

    it('keeps a repository of which another folder is still open, and one where an agent is at work', async function () {
      this.timeout(120_000);
      const { world } = await placed(folder('shop'));
      await changed((now) => vscode.workspace.updateWorkspaceFolders(now.findIndex((one) => one.name === 'packages'), 1));
      assert.ok((await placed(folder('shop'))).world === world);

      const { world: tools, checkout } = await placed(folder('tool'));
      const plan = value(await tools.prepareDelegation('' as never, checkout));
      // Nobody answers there, so the agent goes on trying, or asks.
      const id = value(await tools.delegate({ plan, goal: 'Wait', model: { kind: 'openai', profile: 'gone', baseUrl: 'http://127.0.0.1:9/v1', model: 'gone', prices: null }, limits: { costUsd: 1, freshTokens: 1_000_000, allTokens: 1_000_000, wallMs: 3_600_000, turns: 5, depth: 1, children: 1 } }));
      await changed((now) => vscode.workspace.updateWorkspaceFolders(now.findIndex((one) => one.name === 'tool'), 1));
      await until(tools, 'the folders were looked at again', () => extension.worlds.refusals().length === 1);
      assert.ok(extension.worlds.all().includes(tools));
      value(await tools.stop(id));
      await until(tools, 'it is stopped', () => episodeOf(tools, id).phase.name === 'ended');
    });
  });
}
