import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MachineSandbox } from '../../../src/adapters/sandbox/machineSandbox.ts';
import { NO_SANDBOX, onPath } from '../../support/sandboxPrograms.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporaryFolder.ts';
import { NPM_HOST, Registries } from './registries.ts';
import { SandboxBench } from './sandboxBench.ts';

const WHY_NOT = NO_SANDBOX ?? (onPath('curl') ? null : 'curl is not installed');

describe.skipIf(WHY_NOT !== null)(`given a level of the network, when a command reaches out${WHY_NOT === null ? '' : ` (skipped: ${WHY_NOT})`}`, () => {
  let packages = '';
  let registries: Registries;
  let bench: SandboxBench;
  beforeAll(async () => {
    packages = makeTemporaryFolder('packages');
    registries = await Registries.start(packages);
    for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy']) process.env[name] = registries.address;
    for (const name of ['NO_PROXY', 'no_proxy']) process.env[name] = '';
    bench = await SandboxBench.open({ 'a.txt': 'a\n' }, { furtherHosts: ['packages.example.com', '*.mirror.example.com'] });
  });
  afterAll(async () => {
    await bench.close();
    await registries.stop();
    removeFolder(packages);
  });

  const reach = async (host: string): Promise<boolean> => {
    const before = registries.asked.length;
    await bench.call(`curl -s -o /dev/null -m 20 --noproxy '' http://${host}/`);
    return registries.asked.slice(before).includes(host.replace(/:\d+$/, ''));
  };

  it('then "off" reaches nothing, "registries" those and the person\'s own hosts, "on" all', async () => {
    const hosts = [NPM_HOST, 'packages.example.com', 'a.mirror.example.com', 'elsewhere.example.com', `${NPM_HOST}.example.com`];
    const reached: Record<string, boolean[]> = {};
    for (const level of ['off', 'registries', 'on'] as const) {
      await bench.network.rememberLevel(level);
      reached[level] = [];
      for (const host of hosts) reached[level].push(await reach(host));
    }
    expect(reached).toEqual({ off: [false, false, false, false, false], registries: [true, true, true, false, false], on: [true, true, true, true, true] });
  });

  it('then "on" reaches what is named by its address, public or of a private network, but no address that this machine has itself', async () => {
    await bench.network.rememberLevel('on');
    for (const host of ['203.0.113.7', '10.255.255.7', '[2001:db8::7]']) expect(await reach(host), host).toBe(true);
    const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []).map(({ address, family }) => family === 'IPv6' ? `[${address}]` : address);
    for (const host of own) expect(await reach(host), host).toBe(false);
  });

  it('then addresses of this machine and of its cloud\'s keys are closed at every level, however they are written', async () => {
    const requests: string[] = [];
    const server = createServer((request, response) => {
      requests.push(request.url ?? '');
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      for (const level of ['registries', 'on'] as const) {
        await bench.network.rememberLevel(level);
        for (const host of ['169.254.169.254', '0xa9fea9fe', '2852039166', '[fd00:ec2::254]', 'metadata.google.internal', '100.100.100.200', '[::ffff:169.254.169.254]']) expect(await reach(host), `${level} ${host}`).toBe(false);
        for (const host of ['127.0.0.1', '127.1', '2130706433', 'localhost', 'a.localhost', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0']) await reach(`${host}:${String(port)}`);
      }
      expect(requests).toEqual([]);
      const named = await bench.call('curl -s -m 20 --noproxy "" http://169.254.169.254/; true');
      expect(named.text).toMatch(/^\[sandbox\] 169\.254\.169\.254:80 was not reachable: addresses of this machine itself/m);
    } finally {
      server.close();
    }
  });

  it('then a command can use no list but its own, although it sees the way to the network', async () => {
    await bench.network.rememberLevel('off');
    const before = registries.asked.length;
    await bench.call(`curl -s -m 20 -x "$(echo "$HTTP_PROXY" | sed "s|//[^:]*|//srt|")" http://${NPM_HOST}/; env -u HTTP_PROXY -u http_proxy -u ALL_PROXY -u all_proxy curl -s -m 5 http://${NPM_HOST}/`);
    expect(registries.asked).toHaveLength(before);
  });
});

describe('given no sandbox, when it is asked for', () => {
  const status = (options: ConstructorParameters<typeof MachineSandbox>[0]) => new MachineSandbox(options).settled();

  it('then it says what is missing and how to come by it', async () => {
    expect(await status({ enabled: true, environment: { PATH: '/nowhere' }, platform: 'linux' })).toMatchObject({ kind: 'unavailable', why: 'bwrap and socat are not installed.', next: expect.stringMatching(/bubblewrap/) as unknown });
    expect(await status({ enabled: true, environment: {}, platform: 'win32' })).toMatchObject({ kind: 'unavailable', next: expect.stringContaining('WSL') as unknown });
  });

  it('then the person\'s word is enough to have none', async () => {
    const machine = new MachineSandbox({ enabled: false, environment: process.env, platform: process.platform });
    expect(machine.status()).toEqual({ kind: 'off' });
    expect(await machine.library()).toBeNull();
  });
});
