import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { episodeRefs } from '../../../src/core/candidate/refs.ts';
import { filePath, type EpisodeId } from '../../../src/core/ids.ts';
import { DELEGATION_LIMITS } from '../../../src/core/limits/limits.ts';
import { agentRows } from '../../../src/core/projections/agentRows.ts';
import { reviewRows } from '../../../src/core/projections/reviewRows.ts';
import { standingAccept } from '../../../src/core/world/state.ts';
import type { Published, PublishPlan, Taken } from '../../../src/runtime/openWorld.ts';
import { quietGitEnvironment } from '../../support/gitEnvironment.ts';
import { call, ScriptedModel, type ScriptedAnswer } from '../../support/scriptedModel.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporaryFolder.ts';
import { makeTemporaryRepository, type TemporaryRepository } from '../../support/temporaryRepository.ts';
import { TestWorld, value } from '../../support/testWorld.ts';

const FILES = { 'api/server.ts': 'export const port = 80;\n', 'README.md': '# Sample\n' };
const WRITE: ScriptedAnswer = { calls: [call('edit_file', { path: 'api/server.ts', old_text: 'port = 80', new_text: 'port = 8080' })] };
const FINISH: ScriptedAnswer = { calls: [call('finish', { subject: 'Listen on 8080', report: 'Changed the port.' })] };
const PROPOSES: readonly ScriptedAnswer[] = [WRITE, FINISH];
const quiet = () => ({ remote: 'origin', signal: new AbortController().signal, progress: () => undefined });
/** What this machine lets an agent use; less than a delegation by hand, so that it can be told apart. */
const LIMITS_HERE = { ...DELEGATION_LIMITS, costUsd: 0.5 };

interface Clone {
  readonly repository: TemporaryRepository;
  readonly world: TestWorld;
}

describe('a history that goes on elsewhere', () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  /** A bare remote with the sample on `main`, and a clone of it with its own machine. */
  async function given(script: readonly ScriptedAnswer[]): Promise<{ remote: string; git: (...args: string[]) => string; model: ScriptedModel; clone: () => Promise<Clone> }> {
    const remote = path.join(makeTemporaryFolder('remote'), 'remote.git');
    cleanups.push(() => removeFolder(path.dirname(remote)));
    const git = (...args: string[]): string => execFileSync('git', ['--git-dir', remote, ...args], { env: quietGitEnvironment(), encoding: 'utf8' }).trim();
    execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', remote], { env: quietGitEnvironment() });
    const origin = makeTemporaryRepository(FILES);
    cleanups.push(() => origin.remove());
    origin.git('push', '--quiet', remote, 'main');
    const model = await ScriptedModel.start({ script });
    cleanups.push(() => model.stop());
    const clone = async (): Promise<Clone> => {
      const repository = makeTemporaryRepository();
      repository.git('remote', 'add', 'origin', remote);
      repository.git('fetch', '--quiet', 'origin');
      repository.git('checkout', '--quiet', '-B', 'main', 'origin/main');
      repository.git('config', 'user.name', 'Test Person');
      repository.git('config', 'user.email', 'person@example.test');
      const world = await TestWorld.open(repository.folder, { baseUrl: model.baseUrl });
      cleanups.push(() => repository.remove(), () => world.forget(), () => world.close());
      return { repository, world };
    };
    return { remote, git, model, clone };
  }

  async function proposed({ world }: Clone): Promise<EpisodeId> {
    const id = await world.delegate('api', 'Listen on 8080');
    await world.reaches(id, 'waiting');
    return id;
  }

  const plan = async ({ world }: Clone): Promise<PublishPlan> => value(await world.world.history.planPublish(quiet()));
  const publish = async ({ world }: Clone, ...episodes: EpisodeId[]): Promise<Published> => value(await world.world.history.publish({ ...quiet(), episodes }));
  const fetched = async ({ world }: Clone): Promise<Taken> => value(await world.world.history.fetch({ ...quiet(), limits: LIMITS_HERE }));

  /** Everything of a clone that is the person's: config, branches, tags, FETCH_HEAD, index, files. */
  function personsOwn({ repository }: Clone): unknown {
    const gitFile = (name: string): string | null => {
      try {
        return readFileSync(path.join(repository.folder, '.git', name)).toString('base64');
      } catch {
        return null;
      }
    };
    const others = repository.git('for-each-ref', '--format=%(refname) %(objectname)').split('\n').filter((line) => !line.startsWith('refs/worldtree/'));
    return { config: gitFile('config'), index: gitFile('index'), fetchHead: gitFile('FETCH_HEAD'), head: gitFile('HEAD'), others, status: repository.git('status', '--porcelain') };
  }

  it('a change that waits in one clone is accepted in another, and the first one sees it', async () => {
    const { git, clone } = await given(PROPOSES);
    const [a, b] = [await clone(), await clone()];
    const id = await proposed(a);
    const ownOfA = personsOwn(a);
    const offered = await plan(a);
    expect(offered).toMatchObject({ there: 0, atWork: 0, offered: [{ episode: id, there: 'first', ownCommits: 0 }] });
    expect(offered.offered[0]?.extent.commits).toBe(2);
    expect(offered.offered[0]?.extent.bytes).toBeGreaterThan(100);
    expect(await publish(a, id)).toEqual({ sent: [id], refused: [] });
    expect(personsOwn(a)).toEqual(ownOfA);
    expect(git('for-each-ref', '--format=%(refname)', 'refs/worldtree/').split('\n')).toEqual([`refs/worldtree/episodes/${id}/base`, `refs/worldtree/episodes/${id}/candidate/1`, `refs/worldtree/episodes/${id}/record`]);

    const ownOfB = personsOwn(b);
    expect(await fetched(b)).toEqual({ added: [id], changed: [], left: [] });
    expect(personsOwn(b)).toEqual(ownOfB);
    const told = b.world.episode(id);
    expect(told).toMatchObject({ goal: 'Listen on 8080', limits: LIMITS_HERE, model: { kind: 'elsewhere', name: 'scripted' }, phase: { name: 'waiting', candidate: 1 }, candidates: a.world.episode(id).candidates });
    expect(told.spent).toMatchObject({ usd: a.world.episode(id).spent.usd, turns: 2 });
    expect(await fetched(b)).toEqual({ added: [], changed: [], left: [] });

    const accepted = value(await b.world.accept(id));
    expect(readFileSync(path.join(b.repository.folder, 'api/server.ts'), 'utf8')).toBe('export const port = 8080;\n');
    expect((await plan(b)).offered).toMatchObject([{ episode: id, there: 'newer' }]);
    expect(await publish(b, id)).toEqual({ sent: [id], refused: [] });

    expect(await fetched(a)).toEqual({ added: [], changed: [id], left: [] });
    expect(a.world.episode(id).phase).toMatchObject({ name: 'ended', outcome: 'retained' });
    expect(standingAccept(a.world.world.state(), id)?.prepared).toMatchObject({ new: accepted.commit, ref: 'refs/heads/main' });
    expect(a.repository.git('rev-parse', 'HEAD')).not.toBe(accepted.commit);
    expect((await plan(a)).offered).toEqual([]);

    // The commit itself comes with the branch, when the person pulls.
    const move = standingAccept(a.world.world.state(), id)?.prepared.move;
    b.repository.git('push', '--quiet', 'origin', 'main');
    a.repository.git('pull', '--quiet', '--ff-only', 'origin', 'main');
    a.world.world.linesMoved();
    await expect.poll(() => move && a.world.world.retention(move), { timeout: 20_000 }).toEqual({ kind: 'retained', as: accepted.commit });
  });

  it('rejected work stays here unless it is picked, and nothing that is published names a path or an address of this machine', async () => {
    const { git, model, clone } = await given([...PROPOSES, ...PROPOSES]);
    const a = await clone();
    const rejected = await proposed(a);
    value(await a.world.world.reject(rejected, 'not like this'));
    const waiting = await proposed(a);
    expect(await publish(a, waiting)).toEqual({ sent: [waiting], refused: [] });
    expect(git('for-each-ref', '--format=%(refname)', episodeRefs(rejected).prefix)).toBe('');
    const published = git('show', `${episodeRefs(waiting).record}:record.json`);
    for (const own of [a.repository.folder, a.world.machine, model.baseUrl]) expect(published).not.toContain(own);
    await publish(a, rejected);
    expect(git('show', `${episodeRefs(rejected).record}:record.json`)).toContain('not like this');
  });

  it('a push that is refused is named, with git’s words, and changes nothing here', async () => {
    const { remote, git, clone } = await given(PROPOSES);
    const [a, b] = [await clone(), await clone()];
    const id = await proposed(a);
    await publish(a, id);
    await fetched(b);
    value(await b.world.world.reject(id, 'no'));
    await publish(b, id);
    value(await a.world.world.reject(id, 'I say no as well'));
    expect((await plan(a)).offered).toMatchObject([{ episode: id, there: 'older' }]);
    const before = [personsOwn(a), a.repository.git('rev-parse', episodeRefs(id).record), git('rev-parse', episodeRefs(id).record)];
    const refused = await publish(a, id);
    expect(refused).toMatchObject({ sent: [], refused: [{ episode: id, words: expect.stringMatching(/record: .*(fetch first|non-fast-forward)/) as unknown }] });
    expect(await fetched(a)).toMatchObject({ added: [], changed: [], left: [{ name: episodeRefs(id).record, words: expect.stringContaining('another way') as unknown }] });
    expect([personsOwn(a), a.repository.git('rev-parse', episodeRefs(id).record), git('rev-parse', episodeRefs(id).record)]).toEqual(before);

    removeFolder(remote);
    const gone = await a.world.world.history.planPublish(quiet());
    expect(gone.ok ? null : gone.refusal).toMatchObject({ reason: 'remote-unreachable', message: expect.stringContaining('does not appear to be a git repository') as unknown });
  });

  it('the person’s own pre-push hook may refuse what leaves', async () => {
    const { git, clone } = await given(PROPOSES);
    const a = await clone();
    const id = await proposed(a);
    a.repository.write({ '.git/hooks/pre-push': { content: '#!/bin/sh\ncat >&2\necho "holds a secret" >&2\nexit 1\n', mode: 0o755 } });
    const refused = await a.world.world.history.publish({ ...quiet(), episodes: [id] });
    expect(refused.ok ? null : refused.refusal).toMatchObject({ reason: 'push-refused', message: expect.stringContaining('holds a secret') as unknown });
    expect(git('for-each-ref', 'refs/worldtree/')).toBe('');
  });

  it('everything is there again after the ledger was deleted', async () => {
    const { model, clone } = await given([...PROPOSES, ...PROPOSES, ...PROPOSES]);
    const { repository, world } = await clone();
    const accepted = await proposed({ repository, world });
    value(await world.accept(accepted));
    const rejected = await proposed({ repository, world });
    value(await world.world.reject(rejected, 'no'));
    const waiting = await proposed({ repository, world });
    const rows = (w: TestWorld): unknown => {
      const state = w.world.state();
      const at = { now: Date.now(), today: 0, live: () => undefined, behind: () => undefined, foreseen: () => undefined, retention: () => undefined };
      return { review: reviewRows(state, at), agents: agentRows(state, at) };
    };
    const before = rows(world);
    await world.close();
    rmSync(path.join(repository.folder, '.git/worldtree'), { recursive: true });
    const again = await TestWorld.open(repository.folder, { baseUrl: model.baseUrl, machine: world.machine });
    cleanups.push(() => again.close());
    expect(await again.world.history.unknown()).toBe(3);
    expect(value(await again.world.history.rebuild({ limits: DELEGATION_LIMITS }))).toEqual({ added: [accepted, rejected, waiting], changed: [], left: [] });
    expect(rows(again)).toEqual(before);
    expect(await again.world.history.unknown()).toBe(0);
  });

  it('an edit after publishing is a change of its own, and both can be published again', async () => {
    const { git, clone } = await given(PROPOSES);
    const a = await clone();
    const id = await proposed(a);
    const save = async (text: string): Promise<number> => value(await a.world.world.saveEdit(id, filePath.parse('api/server.ts'), Buffer.from(text)));
    expect([await save('export const port = 1;\n'), await save('export const port = 2;\n')]).toEqual([2, 2]);
    await publish(a, id);
    expect(await save('export const port = 3;\n')).toBe(3);
    expect((await plan(a)).offered).toMatchObject([{ episode: id, there: 'newer' }]);
    expect(await publish(a, id)).toEqual({ sent: [id], refused: [] });
    expect(git('show', `${episodeRefs(id).candidate(3)}:api/server.ts`)).toBe('export const port = 3;');
  });

  it('a change is sent back in another clone: another model goes on from it, and knows what is known', async () => {
    const { model, clone } = await given([...PROPOSES, { calls: [call('edit_file', { path: 'api/server.ts', old_text: '8080', new_text: '8443' })] }, { calls: [call('finish', { subject: 'Listen on 8443', report: 'Another port.' })] }]);
    const [a, b] = [await clone(), await clone()];
    const id = await proposed(a);
    await publish(a, id);
    await fetched(b);
    const without = await b.world.world.rework(id, 'Rather 8443.');
    expect(without.ok ? null : without.refusal.reason).toBe('no-model');
    value(await b.world.world.rework(id, 'Rather 8443.', { kind: 'openai', profile: 'b', baseUrl: model.baseUrl, model: 'model-of-b', prices: null }));
    expect(await b.world.reaches(id, 'waiting')).toMatchObject({ candidate: 2 });
    const opening = JSON.stringify(model.requests.find((r) => r.body.model === 'model-of-b')?.body.messages);
    for (const known of ['Listen on 8080', 'Changed the port.', 'api/server.ts (modified, +1 -1)', 'Rather 8443.', 'not here']) expect(opening).toContain(known);
    expect(b.repository.git('show', `${episodeRefs(id).candidate(2)}:api/server.ts`)).toBe('export const port = 8443;');
    expect(b.world.episode(id).spent.turns).toBe(4);

    await publish(b, id);
    expect(await fetched(a)).toMatchObject({ changed: [id], left: [] });
    expect(a.world.episode(id)).toMatchObject({ phase: { name: 'waiting', candidate: 2 }, reworked: { words: 'Rather 8443.' }, spent: { turns: 4 } });
  });

  it('the rest of a change that was accepted in part is seen in another clone, edited, sent back twice over a restart, accepted and taken back there', async () => {
    const { model, clone } = await given([
      { calls: [call('edit_file', { path: 'api/server.ts', old_text: 'port = 80', new_text: 'port = 8080' }), call('write_file', { path: 'api/route.ts', content: 'export const routes = [];\n' })] }, FINISH,
      { calls: [call('edit_file', { path: 'api/route.ts', old_text: '["/"]', new_text: '["/", "/health"]' })] }, { calls: [call('finish', { subject: 'Routes', report: 'With health.' })] },
      { calls: [call('edit_file', { path: 'api/route.ts', old_text: '"/health"', new_text: '"/alive"' })] }, { calls: [call('finish', { subject: 'Routes', report: 'Alive it is.' })] },
    ]);
    const [a, b] = [await clone(), await clone()];
    const id = await proposed(a);
    value(await a.world.accept(id, { files: ['api/server.ts'] }));
    a.repository.git('push', '--quiet', 'origin', 'main');
    await publish(a, id);
    b.repository.git('pull', '--quiet', '--ff-only', 'origin', 'main');
    const before = b.repository.git('rev-parse', 'HEAD');
    await fetched(b);
    const rows = (world: TestWorld): readonly string[] => reviewRows(world.world.state(), { now: Date.now(), today: 0, live: () => undefined, foreseen: () => undefined, retention: () => undefined }).map((row) => `${row.status}, ${row.label}: ${row.files.map((file) => file.name).join(' ')}`);
    expect(rows(b.world)).toEqual(['waiting, api: rest of Listen on 8080: route.ts']);

    value(await b.world.world.saveEdit(id, filePath.parse('api/route.ts'), Buffer.from('export const routes = ["/"];\n')));
    const modelOfB = { kind: 'openai', profile: 'b', baseUrl: model.baseUrl, model: 'model-of-b', prices: null } as const;
    value(await b.world.world.rework(id, 'Add a health route.', modelOfB));
    await b.world.reaches(id, 'waiting');
    const opening = JSON.stringify(model.requests.find((r) => r.body.model === 'model-of-b')?.body.messages);
    for (const known of ['Add a health route.', 'api/route.ts']) expect(opening).toContain(known);
    expect(b.repository.git('show', `${b.world.episode(id).candidates.at(-1)?.commit ?? ''}:api/route.ts`)).toBe('export const routes = ["/", "/health"];');

    await b.world.close();
    const again = await TestWorld.open(b.repository.folder, { baseUrl: model.baseUrl, machine: b.world.machine });
    cleanups.push(() => again.close());
    value(await again.world.rework(id, 'Call it alive.'));
    await again.reaches(id, 'waiting');
    expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toMatch(/Add a health route\.[^]*Call it alive\./);
    value(await again.accept(id));
    expect([b.repository.git('diff', '--name-only', before, 'HEAD'), b.repository.git('show', 'HEAD:api/route.ts'), b.repository.git('status', '--porcelain')]).toEqual(['api/route.ts', 'export const routes = ["/", "/alive"];', '']);
    value(await again.undo(id));
    expect([b.repository.git('diff', '--name-only', before, 'HEAD'), rows(again)]).toEqual(['', ['waiting, api: rest of Routes: route.ts']]);
    value(await again.undo(id));
    expect(b.repository.git('show', 'HEAD:api/server.ts')).toBe('export const port = 80;');
    expect(rows(again)).toEqual(['waiting, api: Routes: route.ts server.ts']);
  });

  it('a change that was rejected in one clone is taken up and sent back in another', async () => {
    const { model, clone } = await given([...PROPOSES, { calls: [call('edit_file', { path: 'api/server.ts', old_text: '8080', new_text: '8443' })] }, { calls: [call('finish', { subject: 'Listen on 8443', report: 'Another port.' })] }]);
    const [a, b] = [await clone(), await clone()];
    const id = await proposed(a);
    value(await a.world.world.reject(id, 'not this port'));
    await publish(a, id);
    await fetched(b);
    value(await b.world.world.withdrawReject(id));
    value(await b.world.world.rework(id, 'Rather 8443.', { kind: 'openai', profile: 'b', baseUrl: model.baseUrl, model: 'model-of-b', prices: null }));
    await b.world.reaches(id, 'waiting');
    value(await b.world.accept(id));
    expect(b.repository.git('show', 'HEAD:api/server.ts')).toBe('export const port = 8443;');
  });

  it('says how many commits of the person’s go along, and a branch that is not in the other clone is the one that is checked out there', async () => {
    const { clone } = await given(PROPOSES);
    const [a, b] = [await clone(), await clone()];
    a.repository.git('checkout', '--quiet', '-b', 'feature');
    a.repository.commit('Not pushed yet', { 'notes.md': 'mine\n' });
    const id = await proposed(a);
    expect((await plan(a)).offered).toMatchObject([{ ownCommits: 1, extent: { commits: 3 } }]);
    await publish(a, id);
    await fetched(b);
    expect(b.world.episode(id).target).toEqual({ kind: 'branch', ref: 'refs/heads/main' });
    expect(value(await b.world.world.planAccept(id, null))).toMatchObject({ target: { ref: 'refs/heads/main' } });
  });

  describe('from a remote that lies', () => {
    /** Puts refs into the remote by hand, as somebody could who may write there. */
    async function lying(): Promise<{ a: Clone; own: EpisodeId; forge: (id: string, over: object, files?: Record<string, string>) => void; push: (commit: string, ref: string, force?: boolean) => void; head: string }> {
      const { remote, clone } = await given(PROPOSES);
      const a = await clone();
      const own = await proposed(a);
      await publish(a, own);
      const forger = makeTemporaryRepository(FILES);
      cleanups.push(() => forger.remove());
      forger.git('fetch', '--quiet', remote, 'main');
      forger.git('checkout', '--quiet', '-B', 'main', 'FETCH_HEAD');
      const head = forger.git('rev-parse', 'HEAD');
      const push = (commit: string, ref: string, force = false): void => { forger.git('push', '--quiet', ...(force ? ['--force'] : []), remote, `${commit}:${ref}`); };
      const forge = (id: string, over: object, files: Record<string, string> = {}): void => {
        forger.git('checkout', '--quiet', '--force', head);
        const change = forger.commit('A change', { 'api/server.ts': 'export const port = 1;\n', 'secret.sh': 'rm -rf /\n' });
        const record = {
          v: 2, id, writer: 'zz99', parent: null, world: { commit: head, path: 'api' }, target: { kind: 'branch', ref: 'refs/heads/main' }, role: 'executor', model: { kind: 'elsewhere', name: 'x', prices: null }, startedAt: 1,
          phase: { name: 'waiting', candidate: 1, since: 2 }, reworked: null, spent: { usage: { fresh: 1, cached: 0, output: 1, reasoning: 0 }, usd: 1000, estimated: false, turns: 3, wallMs: 1 },
          candidates: [{ number: 1, commit: change, base: head, source: 'agent', subject: 'Looks harmless', report: '', outside: [], outsideCommit: null, ignored: [], nestedRepositories: [], insideSubmodules: [] }], evidence: [], moves: [], ...over,
        };
        push(head, `refs/worldtree/episodes/${id}/base`);
        push(change, `refs/worldtree/episodes/${id}/candidate/1`);
        forger.git('checkout', '--quiet', '--orphan', 'record');
        forger.git('rm', '-rfq', '.');
        push(forger.commit('Record', { 'record.json': JSON.stringify(record), 'goal.md': 'Help\n', ...files }), `refs/worldtree/episodes/${id}/record`);
        forger.git('checkout', '--quiet', '--force', head);
        forger.git('branch', '-D', 'record');
      };
      return { a, own, forge, push, head };
    }

    it('a change shows what its commit holds, whatever its record says', async () => {
      const { a, forge } = await lying();
      forge('e9-evil', {});
      expect(await fetched(a)).toEqual({ added: ['e9-evil'], changed: [], left: [] });
      const [change] = a.world.episode('e9-evil' as EpisodeId).candidates;
      expect([change?.inside.map((f) => f.path), change?.companions.map((f) => f.path)]).toEqual([['api/server.ts'], ['secret.sh']]);
      expect(a.world.episode('e9-evil' as EpisodeId).limits).toEqual(LIMITS_HERE);
    });

    it('what does not fit is named and left, and what is here stays as it is', async () => {
      const { a, own, forge, push, head } = await lying();
      const tag = own.slice(own.indexOf('-') + 1);
      const before = [personsOwn(a), a.world.episode(own), a.repository.git('for-each-ref', episodeRefs(own).prefix)];
      forge('e1-aaaa', { spent: 'much' });
      forge('e2-aaaa', { id: 'e3-aaaa' });
      forge('e4-aaaa', {}, { 'goal.md': 'x'.repeat(9 * 1024 * 1024) });
      forge('e5-aaaa', { world: { commit: '1'.repeat(40), path: 'api' } });
      forge('e6-aaaa', { candidates: [], phase: { name: 'ended', outcome: 'retained', words: '', candidate: null, at: 1 }, moves: [{ move: `${own}/m1`, candidate: 1, kind: 'accept', target: { kind: 'branch', ref: 'refs/heads/main' }, ref: 'refs/heads/main', old: head, new: head, tree: head, override: null, at: 1, doneAt: 1 }] });
      forge(`e77-${tag}`, {});
      push(head, `refs/worldtree/episodes/${own}/candidate/1`, true);
      push(head, `refs/worldtree/episodes/${own}/saved`);
      push(head, 'refs/worldtree/episodes/evil/record');
      push(head, 'refs/worldtree/scratch/merged');
      forge('e8-good', {});
      const taken = await fetched(a);
      expect(taken.added).toEqual(['e8-good']);
      expect(new Set(taken.left.map(({ name }) => name))).toEqual(new Set(['e1-aaaa', 'e2-aaaa', 'e4-aaaa', 'e5-aaaa', 'e6-aaaa', `e77-${tag}`, own]));
      expect(taken.changed).toEqual([]);
      expect([personsOwn(a), a.world.episode(own), a.repository.git('for-each-ref', episodeRefs(own).prefix)]).toEqual(before);
      expect(a.repository.git('for-each-ref', '--format=%(refname)', 'refs/worldtree/')).not.toMatch(/evil\/|scratch|saved|e77-/);
    });

    it('the record of an agent of this clone cannot be turned back or replaced', async () => {
      const { a, own, push, head } = await lying();
      const record = a.repository.git('rev-parse', episodeRefs(own).record);
      push(head, episodeRefs(own).record, true);
      expect(await fetched(a)).toMatchObject({ added: [], changed: [], left: [{ words: expect.stringContaining('another way') as unknown }] });
      expect(a.repository.git('rev-parse', episodeRefs(own).record)).toBe(record);
      expect(a.world.episode(own).phase.name).toBe('waiting');
    });
  });
});
