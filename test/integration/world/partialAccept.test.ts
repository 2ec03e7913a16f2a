import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { candidateFiles } from '../../../src/core/candidate/candidate.ts';
import { filePath, type EpisodeId } from '../../../src/core/ids.ts';
import { undoOffered } from '../../../src/core/world/heldAccepts.ts';
import { currentCandidate } from '../../../src/core/world/state.ts';
import type { Lines } from '../../../src/runtime/ports/lines.ts';
import { call } from '../../support/scriptedModel.ts';
import type { TemporaryRepository } from '../../support/temporaryRepository.ts';
import { TestWorld, value } from '../../support/testWorld.ts';
import { FILES, givenWorld, withLine } from './proposedChange.ts';

const SERVER = withLine(2, 'agent');
const ROUTE = withLine(9, 'agent');
const MOVED = 'old\nfile\nof\nfour lines\n';

const cleanups: (() => Promise<void> | void)[] = [];
const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const at = (repository: TemporaryRepository, file: string, commit = 'HEAD'): string | null => {
  try {
    return repository.git('show', `${commit}:${file}`);
  } catch {
    return null;
  }
};
const waits = (world: TestWorld, id: EpisodeId): string[] => {
  const candidate = currentCandidate(world.episode(id));
  return candidate && world.episode(id).phase.name === 'waiting' ? candidateFiles(candidate).map((file) => file.path) : [];
};
const onBranch = (text: string): string => text.trimEnd();

describe('accepting some files of a change', () => {
  it('moves the branch by these and lets the rest wait, which arrives later (D4, D12)', async () => {
    const { repository, world, propose } = await givenWorld(cleanups);
    const id = await propose({ 'api/server.ts': SERVER, 'api/route.ts': ROUTE, 'api/new.ts': 'new\n', 'api/gone.ts': null });
    const base = repository.git('rev-parse', 'HEAD');
    const plan = value(await world.world.planAccept(id, [filePath.parse('api/server.ts'), filePath.parse('api/gone.ts')]));
    expect([plan.files, plan.changed.length]).toEqual([['api/gone.ts', 'api/server.ts'], 4]);
    expect(plan.message).toContain('\n\nTakes 2 of 4 files.\n\n');
    expect(value(await world.world.planAccept(id, null)).message).not.toContain('Takes');
    const accepted = value(await world.accept(id, { files: ['api/server.ts', 'api/gone.ts'] }));
    expect(accepted.rest).toBe(2);
    expect(repository.git('diff', '--name-status', base, 'HEAD')).toBe('D\tapi/gone.ts\nM\tapi/server.ts');
    expect([repository.git('status', '--porcelain'), existsSync(path.join(repository.folder, 'api/new.ts'))]).toEqual(['', false]);
    expect(waits(world, id)).toEqual(['api/new.ts', 'api/route.ts']);
    const rest = currentCandidate(world.episode(id));
    expect([rest?.base, repository.git('rev-parse', `${rest?.commit ?? ''}^@`)]).toEqual([base, base]);

    repository.commit('Meanwhile', { 'web/page.ts': 'export const page = 2;\n', 'api/route.ts': withLine(2, 'person') });
    value(await world.accept(id));
    await world.reaches(id, 'ended');
    expect([at(repository, 'api/route.ts'), at(repository, 'api/new.ts'), at(repository, 'api/server.ts')]).toEqual([onBranch(withLine(9, 'agent', withLine(2, 'person'))), 'new', onBranch(SERVER)]);
    expect(repository.git('status', '--porcelain')).toBe('');
  });

  it('keeps both candidates under refs of their own', async () => {
    const { repository, world, propose } = await givenWorld(cleanups);
    const id = await propose({ 'api/server.ts': SERVER, 'api/route.ts': ROUTE });
    value(await world.accept(id, { files: ['api/server.ts'] }));
    for (const candidate of world.episode(id).candidates) expect(repository.git('rev-parse', `refs/worldtree/episodes/${id}/candidate/${String(candidate.number)}`)).toBe(candidate.commit);
  });

  it('takes both sides of a rename together, and a file that comes along can be taken alone', async () => {
    const { repository, world, propose } = await givenWorld(cleanups, { ...FILES, 'api/package.json': '{}\n', 'package-lock.json': '{}\n' });
    const id = await propose({ 'api/server.ts': SERVER, 'api/old.ts': null, 'api/moved.ts': MOVED, 'package-lock.json': '{"lockfileVersion":3}\n' });
    expect(currentCandidate(world.episode(id))?.companions.map((file) => file.path)).toEqual(['package-lock.json']);
    value(await world.accept(id, { files: ['api/moved.ts'] }));
    expect([at(repository, 'api/moved.ts'), at(repository, 'api/old.ts'), at(repository, 'api/server.ts')]).toEqual([onBranch(MOVED), null, onBranch(withLine(1, 'line 1'))]);
    value(await world.accept(id, { files: ['package-lock.json'] }));
    expect([at(repository, 'package-lock.json'), waits(world, id)]).toEqual(['{"lockfileVersion":3}', ['api/server.ts']]);
    value(await world.accept(id));
    expect([at(repository, 'api/server.ts'), repository.git('status', '--porcelain')]).toEqual([onBranch(SERVER), '']);
  });

  it.each([['at once', []], ['after a part of it', ['api/y/one.ts']]])('takes along what a folder that moves as a whole cannot stand apart from, %s', async (_when, first) => {
    const one = 'one\nfile\nof\nfour lines\n';
    const two = 'two\nfiles\nof\nfive\nlines\n';
    const { repository, world, propose } = await givenWorld(cleanups, { ...FILES, 'api/x/one.ts': one, 'api/x/two.ts': two });
    const id = await propose({ 'api/x/new.ts': 'brand new\n', 'api/x/one.ts': null, 'api/x/two.ts': null, 'api/y/one.ts': one, 'api/y/two.ts': two, 'api/server.ts': SERVER });
    if (first.length > 0) value(await world.accept(id, { files: first }));
    const moved = ['api/y/one.ts', 'api/y/two.ts'].filter((path) => !first.includes(path));
    const plan = value(await world.world.planAccept(id, moved.map((path) => filePath.parse(path))));
    expect(plan.files).toEqual(['api/x/new.ts', ...moved]);
    value(await world.accept(id, { files: moved }));
    expect(waits(world, id)).toEqual(['api/server.ts']);
    value(await world.accept(id));
    expect(repository.git('ls-files', 'api/x', 'api/y').split('\n')).toEqual(['api/x/new.ts', 'api/y/one.ts', 'api/y/two.ts']);
  });

  it('takes a file apart from one that moved, where its folder stays', async () => {
    const { repository, world, propose } = await givenWorld(cleanups);
    const id = await propose({ 'api/new.ts': 'brand new\n', 'api/old.ts': null, 'api/y/old.ts': MOVED });
    value(await world.accept(id, { files: ['api/new.ts'] }));
    expect(waits(world, id)).toEqual(['api/y/old.ts']);
    value(await world.accept(id));
    expect([at(repository, 'api/new.ts'), at(repository, 'api/old.ts'), at(repository, 'api/y/old.ts')]).toEqual(['brand new', null, onBranch(MOVED)]);
  });

  it('runs the checks on the branch with what is taken, and again on what comes with the rest (D4)', async () => {
    const toml = '[[constraint]]\nname = "no route without a server"\nrun = "! grep -q agent api/route.ts || grep -q agent api/server.ts"\npaths = ["api/**"]\nrequired = true\n';
    const { repository, world, propose } = await givenWorld(cleanups, { ...FILES, 'genesis.toml': toml });
    const id = await propose({ 'api/server.ts': SERVER, 'api/route.ts': ROUTE });
    const before = repository.git('rev-parse', 'HEAD');
    const refused = await world.accept(id, { files: ['api/route.ts'] });
    expect(refused.ok ? null : refused.refusal.reason).toBe('check-failed');
    expect([repository.git('rev-parse', 'HEAD'), waits(world, id)]).toEqual([before, ['api/route.ts', 'api/server.ts']]);
    value(await world.accept(id, { files: ['api/server.ts'] }));
    value(await world.accept(id));
    expect(repository.git('log', '-1', '--format=%B')).toContain('Worldtree-Evidence: no route without a server pass');
  });

  it('that is refused leaves the whole change waiting and no ref behind', async () => {
    const { repository, world, propose } = await givenWorld(cleanups);
    const id = await propose({ 'api/server.ts': SERVER, 'api/route.ts': ROUTE });
    const before = [currentCandidate(world.episode(id))?.commit, repository.git('for-each-ref', 'refs/worldtree/episodes/*/*/*', 'refs/worldtree/scratch')];
    repository.write({ 'api/server.ts': 'typed by the person\n' });
    const refused = await world.accept(id, { files: ['api/server.ts'] });
    expect(refused.ok ? null : refused.refusal).toMatchObject({ reason: 'dirty-files', files: ['api/server.ts'] });
    expect([currentCandidate(world.episode(id))?.commit, repository.git('for-each-ref', 'refs/worldtree/episodes/*/*/*', 'refs/worldtree/scratch')]).toEqual(before);
    value(await world.accept(id, { files: ['api/route.ts'] }));
    expect([waits(world, id), readFileSync(path.join(repository.folder, 'api/server.ts'), 'utf8')]).toEqual([['api/server.ts'], 'typed by the person\n']);
  });

  it.each<[string, 'cancelled' | 'no-identity' | 'git-failed']>([['that is cancelled when the commit is made', 'cancelled'], ['by a person whom git does not know', 'no-identity'], ['whose move fails', 'git-failed']])('%s leaves no ref behind that the history does not know', async (_, reason) => {
    const broken = reason === 'git-failed' ? { lines: (lines: Lines): Lines => ({ ...lines, move: () => Promise.reject(new Error('the disk is gone')) }) } : {};
    const { repository, world, propose } = await givenWorld(cleanups, FILES, broken);
    const id = await propose({ 'api/server.ts': SERVER, 'api/route.ts': ROUTE });
    const before = repository.git('for-each-ref', 'refs/worldtree/episodes/*/*/*', 'refs/worldtree/scratch');
    if (reason === 'no-identity') for (const name of ['name', 'email']) repository.git('config', `user.${name}`, '');
    const cancel = new AbortController();
    const refused = await world.accept(id, { files: ['api/server.ts'], signal: cancel.signal, progress: (words) => { if (reason === 'cancelled' && words.startsWith('accepting onto')) cancel.abort(); } });
    expect(refused.ok ? null : refused.refusal.reason).toBe(reason);
    expect([waits(world, id), repository.git('for-each-ref', 'refs/worldtree/episodes/*/*/*', 'refs/worldtree/scratch')]).toEqual([['api/route.ts', 'api/server.ts'], before]);
  });

  it('where the branch has merges, makes an ancestor only of what it took', async () => {
    const { repository, world, propose } = await givenWorld(cleanups, FILES, { settings: { acceptStyle: () => 'merge' } });
    const id = await propose({ 'api/server.ts': SERVER, 'api/route.ts': ROUTE });
    const whole = currentCandidate(world.episode(id))?.commit ?? '';
    value(await world.accept(id, { files: ['api/server.ts'] }));
    const taken = world.episode(id).candidates.find((c) => c.source === 'taken')?.commit;
    expect(repository.git('rev-parse', 'HEAD^2')).toBe(taken);
    const rest = currentCandidate(world.episode(id))?.commit ?? '';
    const ancestors = (): string[] => repository.git('rev-list', 'HEAD').split('\n');
    expect([ancestors().includes(whole), ancestors().includes(rest)]).toEqual([false, false]);
    value(await world.accept(id));
    expect([at(repository, 'api/server.ts'), at(repository, 'api/route.ts')]).toEqual([onBranch(SERVER), onBranch(ROUTE)]);
    expect([repository.git('rev-parse', 'HEAD^2'), ancestors().includes(whole)]).toEqual([rest, false]);
  });

  it('tells the agent at a rework what was taken, and its next change is the rest', async () => {
    const { repository, world, model, propose } = await givenWorld(cleanups);
    const id = await propose({ 'api/server.ts': SERVER, 'api/route.ts': ROUTE });
    value(await world.accept(id, { files: ['api/server.ts'] }));
    value(await world.world.rework(id, 'More words, please.'));
    await world.reaches(id, 'waiting');
    expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain('were accepted already');
    value(await world.accept(id));
    expect([at(repository, 'api/server.ts'), at(repository, 'api/route.ts')]).toEqual([onBranch(SERVER), onBranch(ROUTE)]);
  });

  it('puts what a hook made together with the rest', async () => {
    const { repository, world, propose } = await givenWorld(cleanups);
    repository.write({ '.git/hooks/pre-commit': { content: '#!/bin/sh\necho formatted >> api/server.ts; git add api/server.ts\n', mode: 0o755 } });
    const id = await propose({ 'api/server.ts': SERVER, 'api/route.ts': ROUTE });
    const refused = await world.accept(id, { files: ['api/server.ts'] });
    expect(refused.ok ? null : refused.refusal.reason).toBe('hook-changed-tree');
    const candidate = currentCandidate(world.episode(id))?.commit ?? '';
    expect([at(repository, 'api/server.ts', candidate), at(repository, 'api/route.ts', candidate)]).toEqual([`${SERVER}formatted`, onBranch(ROUTE)]);
  });

  it('tells of what a hook made although it was cancelled by then', async () => {
    const cancel = new AbortController();
    const { repository, world, propose } = await givenWorld(cleanups, FILES, { candidates: (candidates) => ({ ...candidates, commit: (request) => { if (hooked()) cancel.abort(); return candidates.commit(request); } }) });
    const hooked = (): boolean => existsSync(path.join(repository.folder, '.git/hooked'));
    repository.write({ '.git/hooks/pre-commit': { content: `#!/bin/sh\necho formatted >> api/server.ts; git add api/server.ts; touch '${repository.folder}/.git/hooked'\n`, mode: 0o755 } });
    const id = await propose({ 'api/server.ts': SERVER });
    const refused = await world.accept(id, { signal: cancel.signal });
    expect([cancel.signal.aborted, refused.ok ? null : refused.refusal.reason]).toEqual([true, 'hook-changed-tree']);
    expect(currentCandidate(world.episode(id))?.source).toBe('hook');
  });
});

describe('undoing an accept of some files (D13)', () => {
  it('while the rest waits: everything that the branch lacks waits then', async () => {
    const { repository, world, propose } = await givenWorld(cleanups);
    const id = await propose({ 'api/server.ts': SERVER, 'api/route.ts': ROUTE, 'api/old.ts': null, 'api/moved.ts': MOVED });
    const before = repository.git('rev-parse', 'HEAD^{tree}');
    value(await world.accept(id, { files: ['api/server.ts', 'api/moved.ts'] }));
    value(await world.undo(id));
    expect([repository.git('rev-parse', 'HEAD^{tree}'), repository.git('status', '--porcelain')]).toEqual([before, '']);
    expect(waits(world, id)).toEqual(['api/moved.ts', 'api/route.ts', 'api/server.ts']);
    value(await world.accept(id));
    expect([at(repository, 'api/server.ts'), at(repository, 'api/route.ts'), at(repository, 'api/moved.ts'), at(repository, 'api/old.ts')]).toEqual([onBranch(SERVER), onBranch(ROUTE), onBranch(MOVED), null]);
  });

  it('that fails half-way leaves no ref behind that the history does not know', async () => {
    let fails = false;
    const { repository, world, propose } = await givenWorld(cleanups, FILES, { lines: (lines) => ({ ...lines, move: (move, options) => (fails ? Promise.reject(new Error('the disk is gone')) : lines.move(move, options)) }) });
    const id = await propose({ 'api/server.ts': SERVER, 'api/route.ts': ROUTE });
    value(await world.accept(id, { files: ['api/server.ts'] }));
    const before = repository.git('for-each-ref', 'refs/worldtree/episodes/*/*/*', 'refs/worldtree/scratch');
    fails = true;
    const refused = await world.undo(id);
    expect(refused.ok ? null : refused.refusal.reason).toBe('git-failed');
    expect([waits(world, id), repository.git('for-each-ref', 'refs/worldtree/episodes/*/*/*', 'refs/worldtree/scratch')]).toEqual([['api/route.ts'], before]);
  });

  it('keeps what the person typed into the rest meanwhile', async () => {
    const { repository, world, propose } = await givenWorld(cleanups);
    const id = await propose({ 'api/server.ts': SERVER, 'api/route.ts': ROUTE });
    value(await world.accept(id, { files: ['api/server.ts'] }));
    value(await world.world.saveEdit(id, filePath.parse('api/server.ts'), Buffer.from(withLine(9, 'typed'))));
    value(await world.accept(id, { files: ['api/route.ts'] }));
    value(await world.undo(id));
    value(await world.accept(id));
    expect([at(repository, 'api/server.ts'), at(repository, 'api/route.ts')]).toEqual([onBranch(withLine(9, 'typed', SERVER)), onBranch(ROUTE)]);
  });

  it('after the rest was accepted too: each by itself, the newest first, and all of it can be accepted again', async () => {
    const { repository, world, propose } = await givenWorld(cleanups);
    const id = await propose({ 'api/server.ts': SERVER, 'api/route.ts': ROUTE });
    const before = repository.git('rev-parse', 'HEAD^{tree}');
    value(await world.accept(id, { files: ['api/server.ts'] }));
    const part = repository.git('rev-parse', 'HEAD^{tree}');
    value(await world.accept(id));
    repository.commit('Later', { 'web/page.ts': 'export const page = 2;\n' });
    value(await world.undo(id));
    expect([repository.git('diff', '--name-only', part, 'HEAD'), waits(world, id)]).toEqual(['web/page.ts', ['api/route.ts']]);
    value(await world.undo(id));
    expect([repository.git('diff', '--name-only', before, 'HEAD'), waits(world, id)]).toEqual(['web/page.ts', ['api/route.ts', 'api/server.ts']]);
    value(await world.accept(id));
    expect([at(repository, 'api/server.ts'), at(repository, 'api/route.ts'), at(repository, 'web/page.ts')]).toEqual([onBranch(SERVER), onBranch(ROUTE), 'export const page = 2;']);
  });

  it('that was offered for an older accept is refused, and takes back no newer one', async () => {
    const { repository, world, propose } = await givenWorld(cleanups);
    const id = await propose({ 'api/server.ts': SERVER, 'api/route.ts': ROUTE });
    const first = value(await world.accept(id, { files: ['api/server.ts'] }));
    const second = value(await world.accept(id));
    const refused = await world.undo(id, first.move);
    expect(refused.ok ? null : refused.refusal).toMatchObject({ reason: 'wrong-state', message: expect.stringContaining('accepted since') as unknown });
    expect(repository.git('rev-parse', 'HEAD')).toBe(second.commit);
    value(await world.undo(id, second.move));
    const again = await world.undo(id, second.move);
    expect(again.ok ? null : again.refusal).toMatchObject({ reason: 'wrong-state', message: expect.stringContaining('no such accept') as unknown });
    value(await world.undo(id, first.move));
    expect(waits(world, id)).toEqual(['api/route.ts', 'api/server.ts']);
  });

  it.each([['reset away', (repository: TemporaryRepository) => repository.git('reset', '--quiet', '--hard', 'HEAD^')], ['accepted to a branch that is deleted', (repository: TemporaryRepository) => repository.git('branch', '--quiet', '-D', 'later')]])('takes the older part where the newer was %s, and leaves the newer where it is', async (how, away) => {
    const { repository, world, propose } = await givenWorld(cleanups);
    const id = await propose({ 'api/server.ts': SERVER, 'api/route.ts': ROUTE });
    const before = repository.git('rev-parse', 'HEAD^{tree}');
    const { message } = value(await world.world.planAccept(id, null));
    const first = value(await world.accept(id, { files: ['api/server.ts'], message }));
    const second = value(await world.accept(id, how === 'reset away' ? { message } : { message, branch: 'later' }));
    away(repository);
    world.world.linesMoved();
    const offered = await world.becomes(() => undoOffered(world.world.state(), id, (move) => world.world.retention(move))?.prepared.move === first.move || undefined, () => JSON.stringify(world.world.retention(second.move)));
    expect(offered).toBe(true);
    value(await world.undo(id, first.move));
    expect([repository.git('rev-parse', 'HEAD^{tree}'), repository.git('status', '--porcelain'), waits(world, id)]).toEqual([before, '', ['api/server.ts']]);
    const again = value(await world.accept(id, { message }));
    expect([at(repository, 'api/server.ts'), at(repository, 'api/route.ts')]).toEqual([onBranch(SERVER), onBranch(withLine(1, 'line 1'))]);
    await world.becomes(() => (world.world.retention(again.move) === undefined ? undefined : true), () => 'nothing is known of the accept');
    expect(world.world.retention(second.move)).not.toMatchObject({ kind: 'retained' });
    value(await world.undo(id));
    expect(repository.git('rev-parse', 'HEAD^{tree}')).toBe(before);
  });

  it('names the files where the rest conflicts with what the branch has since, and changes nothing', async () => {
    const { repository, world, propose } = await givenWorld(cleanups);
    const id = await propose({ 'api/server.ts': SERVER, 'api/route.ts': ROUTE });
    value(await world.accept(id, { files: ['api/server.ts'] }));
    const before = repository.commit('The same line', { 'api/route.ts': withLine(9, 'person') });
    const refused = await world.undo(id);
    expect(refused.ok ? null : refused.refusal).toMatchObject({ reason: 'conflict', files: ['api/route.ts'] });
    expect([repository.git('rev-parse', 'HEAD'), waits(world, id)]).toEqual([before, ['api/route.ts']]);
  });

  it('after the rest was rejected: what was taken waits again', async () => {
    const { repository, world, propose } = await givenWorld(cleanups);
    const id = await propose({ 'api/server.ts': SERVER, 'api/route.ts': ROUTE });
    const before = repository.git('rev-parse', 'HEAD^{tree}');
    value(await world.accept(id, { files: ['api/server.ts'] }));
    value(await world.world.reject(id, ''));
    value(await world.undo(id));
    expect([repository.git('rev-parse', 'HEAD^{tree}'), waits(world, id)]).toEqual([before, ['api/server.ts']]);
  });
});

describe('what a person is told of a change besides its files', () => {
  it('is told of what it becomes by an accept of some files, a hook and an undo too', async () => {
    const writes = Object.entries({ 'api/trace.log': 'ignored\n', 'api/server.ts': SERVER, 'api/route.ts': ROUTE }).map(([file, content]) => call('write_file', { path: file, content }));
    const { repository, world } = await givenWorld(cleanups, { ...FILES, '.gitignore': '*.log\n' }, {}, [{ calls: writes }]);
    const id = await world.delegate('api', 'Change them');
    await world.reaches(id, 'waiting');
    const told = (): readonly string[] | undefined => currentCandidate(world.episode(id))?.ignored;
    expect(told()).toEqual(['api/trace.log']);
    repository.write({ '.git/hooks/pre-commit': { content: '#!/bin/sh\nif ! grep -q formatted api/server.ts; then echo formatted >> api/server.ts; git add api/server.ts; fi\n', mode: 0o755 } });
    expect((await world.accept(id)).ok).toBe(false);
    expect([currentCandidate(world.episode(id))?.source, told()]).toEqual(['hook', ['api/trace.log']]);
    value(await world.accept(id, { files: ['api/server.ts'] }));
    expect([currentCandidate(world.episode(id))?.source, told()]).toEqual(['rest', ['api/trace.log']]);
    value(await world.accept(id));
    value(await world.undo(id));
    expect([currentCandidate(world.episode(id))?.source, told()]).toEqual(['remade', ['api/trace.log']]);
  });
});

describe('an accept of some files whose process is killed, when the next start looks at it (D20)', () => {
  it.each(['candidates-made', 'prepared', 'locked', 'looked', 'files-updated', 'ref-updated'])('at "%s" has happened or has not, and all of the change arrives', async (step) => {
    const { repository, world, propose } = await givenWorld(cleanups);
    const id = await propose({ 'api/server.ts': SERVER, 'api/route.ts': ROUTE, 'api/gone.ts': null });
    repository.write({ 'web/page.ts': 'staged by the person\n' });
    repository.git('add', 'web/page.ts');
    const before = repository.git('rev-parse', 'HEAD');
    await world.close();
    await killedAt(step, repository.folder, world.machine, id, ['api/server.ts']);
    const again = await TestWorld.open(repository.folder, { machine: world.machine });
    cleanups.push(() => again.close());
    await again.reaches(id, 'waiting');

    const happened = step === 'ref-updated';
    expect(repository.git('diff', '--name-only', before, 'HEAD')).toBe(happened ? 'api/server.ts' : '');
    expect(repository.git('status', '--porcelain')).toBe('M  web/page.ts');
    expect(waits(again, id)).toEqual(happened ? ['api/gone.ts', 'api/route.ts'] : ['api/gone.ts', 'api/route.ts', 'api/server.ts']);
    value(await again.accept(id));
    expect(repository.git('for-each-ref', '--format=%(objectname)', `refs/worldtree/episodes/${id}/candidate/`).split('\n').toSorted()).toEqual(again.episode(id).candidates.map((candidate) => candidate.commit as string).toSorted());
    expect(repository.git('diff', '--name-status', before, 'HEAD')).toBe('D\tapi/gone.ts\nM\tapi/route.ts\nM\tapi/server.ts');
    expect(repository.git('status', '--porcelain')).toBe('M  web/page.ts');
  }, 90_000);
});

/** Runs the accept in a process of its own and kills that where it says that it has come to. */
function killedAt(step: string, checkout: string, machine: string, episode: EpisodeId, files: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'acceptingWindow.ts'), JSON.stringify({ step, checkout, machine, episode, files })], { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  return new Promise((resolve, reject) => {
    let said = '';
    const listen = (chunk: Buffer): void => {
      said += chunk.toString('utf8');
      if (said.includes(`at ${step}\n`)) child.kill('SIGKILL');
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.once('exit', (_code, signal) => (signal === 'SIGKILL' ? resolve() : reject(new Error(`the accept ended before ${step}: ${said}`))));
  });
}
