/** Publishing and fetching over what a remote usually is: a server that wants to know who asks. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { GitDoor } from '../../../src/adapters/git/door/door.ts';
import { discover } from '../../../src/adapters/git/reading/discovery.ts';
import type { EpisodeId } from '../../../src/core/ids.ts';
import { DELEGATION_LIMITS } from '../../../src/core/limits/limits.ts';
import type { Refusal } from '../../../src/core/refusal.ts';
import type { Result } from '../../../src/runtime/openWorld.ts';
import { GitServer } from '../../support/gitServer.ts';
import { call, ScriptedModel } from '../../support/scriptedModel.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporaryFolder.ts';
import { makeTemporaryRepository, type TemporaryRepository } from '../../support/temporaryRepository.ts';
import { TestWorld, value } from '../../support/testWorld.ts';

const LOGIN = { user: 'ada', password: 'opensesame-4711' };
const MISSING = (program: string): string | false => (spawnSync(program, ['-V'], { stdio: 'ignore' }).error === undefined && spawnSync(program, ['version'], { stdio: 'ignore' }).error === undefined ? false : `${program} is not installed`);

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Clone {
  readonly repository: TemporaryRepository;
  readonly world: TestWorld;
}

/** A clone of the remote with a machine of its own; `config` is the person's. */
async function clone(remote: string, address: string, config: Readonly<Record<string, string>>, baseUrl?: string): Promise<Clone> {
  const repository = makeTemporaryRepository();
  repository.git('fetch', '--quiet', remote, 'main');
  repository.git('checkout', '--quiet', '-B', 'main', 'FETCH_HEAD');
  repository.git('remote', 'add', 'origin', address);
  for (const [name, setting] of Object.entries(config)) repository.git('config', name, setting);
  const world = await TestWorld.open(repository.folder, baseUrl === undefined ? {} : { baseUrl });
  cleanups.push(() => repository.remove(), () => world.forget(), () => world.close());
  return { repository, world };
}

/** A remote with a branch, and a clone in which a change waits. */
async function given(remote: string, address: string, config: Readonly<Record<string, string>>): Promise<Clone & { readonly id: EpisodeId }> {
  const origin = makeTemporaryRepository({ 'api/server.ts': 'export const port = 80;\n' });
  cleanups.push(() => origin.remove());
  origin.git('push', '--quiet', remote, 'main');
  const model = await ScriptedModel.start({ script: [{ calls: [call('write_file', { path: 'api/server.ts', content: 'export const port = 8080;\n' })] }, { calls: [call('finish', { subject: 'Listen on 8080', report: 'Done.' })] }] });
  cleanups.push(() => model.stop());
  const made = await clone(remote, address, config, model.baseUrl);
  const id = await made.world.delegate('api', 'Listen on 8080');
  await made.world.reaches(id, 'waiting');
  return { ...made, id };
}

async function served(options: Parameters<typeof GitServer.start>[0] = {}): Promise<GitServer> {
  const server = await GitServer.start(options);
  cleanups.push(() => server.stop());
  return server;
}

const asked = (signal = new AbortController().signal) => ({ remote: 'origin', signal, progress: () => undefined, limits: DELEGATION_LIMITS });
const publish = ({ world, id }: Clone & { readonly id: EpisodeId }, signal?: AbortSignal) => world.world.history.publish({ ...asked(signal), episodes: [id] });
const fetch = ({ world }: Clone, signal?: AbortSignal) => world.world.history.fetch(asked(signal));
const helper = (password: string): Readonly<Record<string, string>> => ({ 'credential.helper': `!f() { test "$1" = get && echo username=${LOGIN.user} && echo password=${password}; }; f` });

function refusal(result: Result<unknown>): Refusal {
  if (result.ok) throw new Error('it was not refused');
  return result.refusal;
}

/** Processes of this machine whose command line names the port. */
const processesOn = (port: number): readonly string[] => execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n').filter((line) => line.includes(`127.0.0.1:${String(port)}`));

describe.each(['http', 'https'])('a remote behind %s that wants a password', (scheme) => {
  it.skipIf(scheme === 'https' && MISSING('openssl') !== false)('is published to and fetched from with what the person’s credential helper knows', async () => {
    const server = await served({ login: LOGIN, secure: scheme === 'https' });
    const config = { ...helper(LOGIN.password), ...(server.certificate === undefined ? {} : { 'http.sslCAInfo': server.certificate }) };
    const a = await given(server.repository, server.url, config);
    expect(value(await publish(a))).toEqual({ sent: [a.id], refused: [] });
    expect(server.git('for-each-ref', '--format=%(refname)', 'refs/worldtree/').split('\n')).toHaveLength(3);
    const b = await clone(server.repository, server.url, config);
    expect(value(await fetch(b))).toEqual({ added: [a.id], changed: [], left: [] });
    value(await b.world.accept(a.id));
    expect(b.repository.git('show', 'HEAD:api/server.ts')).toBe('export const port = 8080;');
  });
});

describe('a remote over HTTP', () => {
  it.each([
    ['the password is wrong', helper('wrong-password'), (url: string) => url],
    ['nobody knows the password', {}, (url: string) => url],
    ['its address holds a wrong one', {}, (url: string) => url.replace('://', '://ada:wrong-password@')],
  ])('says what to do where %s, asks nobody, tells no password and changes nothing', async (_why, config, address) => {
    const server = await served({ login: LOGIN });
    const a = await given(server.repository, address(server.url), config);
    for (const result of [await publish(a), await fetch(a), await a.world.world.history.planPublish(asked())]) {
      const { reason, message, next } = refusal(result);
      expect([reason, message, next]).toEqual(['not-authorised', expect.stringContaining('nobody was asked for a password') as unknown, expect.stringContaining('in a terminal') as unknown]);
      expect(message).not.toContain('wrong-password');
    }
    expect(server.git('for-each-ref', 'refs/worldtree/')).toBe('');
    expect(value(await a.world.world.history.remotes())).toEqual([{ name: 'origin', address: server.url }]);
  });

  it.skipIf(MISSING('openssl') !== false)('is refused where nobody vouches for its certificate, with how to trust it', async () => {
    const server = await served({ secure: true });
    const a = await given(server.repository, server.url, {});
    const told = refusal(await publish(a));
    expect(told).toMatchObject({ reason: 'remote-unreachable', message: expect.stringContaining('certificate') as unknown, next: expect.stringContaining('http.sslCAInfo') as unknown });
    expect(server.git('for-each-ref', 'refs/worldtree/')).toBe('');
  });

  it('that has no such repository, or is not there at all, is told apart', async () => {
    const server = await served();
    const a = await given(server.repository, server.url.replace('remote.git', 'other.git'), {});
    expect(refusal(await fetch(a))).toMatchObject({ reason: 'remote-unreachable', message: expect.stringContaining('no repository at the remote’s address') as unknown });
    a.repository.git('remote', 'set-url', 'origin', 'http://127.0.0.1:9/remote.git');
    expect(refusal(await fetch(a))).toMatchObject({ reason: 'remote-unreachable', message: expect.stringContaining('could not be reached') as unknown });
  });

  it.each(['at refs', 'at objects'] as const)('that stops answering %s is let go of when the person cancels, with no process left', async (where) => {
    const server = await served();
    const a = await given(server.repository, server.url, {});
    value(await publish(a));
    const b = await clone(server.repository, server.url, {});
    const before = b.repository.git('for-each-ref');
    server.hang = where;
    const cancel = new AbortController();
    const hung = server.hung();
    const fetching = fetch(b, cancel.signal);
    const { gone } = await hung;
    expect(processesOn(server.port)).not.toEqual([]);
    cancel.abort();
    expect(refusal(await fetching).reason).toBe('cancelled');
    await gone;
    await expect.poll(() => processesOn(server.port)).toEqual([]);
    expect(b.repository.git('for-each-ref')).toBe(before);
    server.hang = 'never';
    expect(value(await fetch(b)).added).toEqual([a.id]);
  });
});

it('a call of git to a server that stops answering ends after its time, with no process left', async () => {
  const server = await served();
  const { repository } = await given(server.repository, server.url, {});
  const place = await discover(repository.folder);
  if (place === null) throw new Error('no repository');
  server.hang = 'at refs';
  const hung = server.hung();
  await expect(new GitDoor(place).run(['ls-remote', 'origin'], { write: false, timeoutMs: 1_000 })).rejects.toMatchObject({ kind: 'timed-out' });
  await (await hung).gone;
  await expect.poll(() => processesOn(server.port)).toEqual([]);
});

describe('a remote over ssh', () => {
  /** What stands in for ssh runs the remote's command here, or says what ssh says. */
  function sshCommand(script: string): Readonly<Record<string, string>> {
    const folder = makeTemporaryRepository();
    cleanups.push(() => folder.remove());
    folder.write({ ssh: { content: `#!/bin/sh\n${script}\n`, mode: 0o755 } });
    return { 'core.sshCommand': path.join(folder.folder, 'ssh'), 'ssh.variant': 'simple' };
  }

  function bare(): string {
    const folder = makeTemporaryFolder('remote');
    cleanups.push(() => removeFolder(folder));
    execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', path.join(folder, 'remote.git')]);
    return path.join(folder, 'remote.git');
  }

  it('is published to and fetched from with the ssh command of the person’s config', async () => {
    const remote = bare();
    const config = sshCommand('test "$1" = git@example.test || exit 1; exec sh -c "$2"');
    const address = `git@example.test:${remote}`;
    const a = await given(remote, address, config);
    expect(value(await publish(a))).toEqual({ sent: [a.id], refused: [] });
    const b = await clone(remote, address, config);
    expect(value(await fetch(b))).toEqual({ added: [a.id], changed: [], left: [] });
  });

  it.each([
    ['the host is not known', 'Host key verification failed.'],
    ['the key is not let in', 'git@example.test: Permission denied (publickey).'],
  ])('says what to do where %s', async (_why, words) => {
    const remote = bare();
    const a = await given(remote, `git@example.test:${remote}`, sshCommand(`echo '${words}' >&2; exit 255`));
    for (const result of [await publish(a), await fetch(a)]) expect(refusal(result)).toMatchObject({ reason: 'not-authorised', message: expect.stringContaining(words) as unknown, next: expect.stringContaining('in a terminal') as unknown });
  });

  it.skipIf(MISSING('ssh') !== false)('that is not there, or says nothing, is told by ssh itself and let go of', async () => {
    const remote = bare();
    const connected: (() => void)[] = [];
    const silent = createServer((socket) => { socket.on('error', () => undefined).resume(); connected.splice(0).forEach((told) => { told(); }); });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => new Promise<void>((resolve) => { silent.close(() => resolve()); }));
    const { port } = silent.address() as AddressInfo;
    const a = await given(remote, `ssh://git@127.0.0.1:9${remote}`, {});
    expect(refusal(await fetch(a))).toMatchObject({ reason: 'remote-unreachable', message: expect.stringMatching(/port 9: Connection refused/) as unknown });
    a.repository.git('remote', 'set-url', 'origin', `ssh://git@127.0.0.1:${String(port)}${remote}`);
    const cancel = new AbortController();
    const arrived = new Promise<void>((resolve) => connected.push(resolve));
    const fetching = fetch(a, cancel.signal);
    await arrived;
    cancel.abort();
    expect(refusal(await fetching).reason).toBe('cancelled');
    await expect.poll(() => processesOn(port)).toEqual([]);
  });
});
