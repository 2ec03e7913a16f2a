import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_SANDBOX, onPath } from '../../support/sandboxPrograms.ts';
import { SandboxBench } from './sandboxBench.ts';

/** Cases B2, B4, B8, B9: what a command of an agent tries, and what the host finds afterwards. */

let bench: SandboxBench;
/** Ignored files of the person's, such as setup brings by the hundred. */
const COPIED = Array.from({ length: 300 }, (_, i) => `copied/${String(i)}`);
const servers: Server[] = [];

describe.skipIf(NO_SANDBOX !== null)(`given a sandbox, when a command tries to get out of it${NO_SANDBOX === null ? '' : ` (skipped: ${NO_SANDBOX})`}`, () => {
  beforeAll(async () => {
    bench = await SandboxBench.open({ 'a.txt': 'a\n', 'src/b.txt': 'b\n', '.gitignore': '.env\nnode_modules\n' }, { environment: { ...process.env, OPENAI_API_KEY: 'key-of-a-model', MODEL_TOKEN: 'token-of-a-model', SSH_AUTH_SOCK: '/agent' } });
    bench.repository.write({ '.env': 'SECRET=of-the-checkout\n', 'a.txt': 'uncommitted work\n' });
  });
  afterAll(async () => {
    for (const server of servers) server.close();
    await bench.close();
  });

  it('then its own worktree is all of the project that it writes, with what it needs beside it', async () => {
    const result = await bench.call('echo changed > a.txt && mkdir -p new/deep && echo x > new/deep/f && rm src/b.txt && echo t > "$TMPDIR/kept" && echo c > "$npm_config_cache.x" && cat a.txt');
    expect(result).toMatchObject({ ok: true });
    expect(result.text).toContain('changed');
    expect(readFileSync(path.join(bench.worktree, 'new/deep/f'), 'utf8')).toBe('x\n');
    expect((await bench.call('cat "$TMPDIR/kept"; cat "$npm_config_cache.x"')).text).toContain('t\nc\n');
  });

  it('then the person\'s checkout is neither changed nor read, by path, by git or by a link (B2)', async () => {
    const checkout = bench.repository.folder;
    const before = bench.snapshot();
    const tries = [
      `echo x > ${checkout}/a.txt`, `rm -rf ${checkout}/src`, `cat ${checkout}/.env`, `cat ${checkout}/a.txt`,
      `: && /usr/bin/git -C ${checkout} commit -am x`, `GIT_DIR=${checkout}/.git GIT_WORK_TREE=${checkout} /usr/bin/git reset --hard`, `/usr/bin/git --git-dir=${checkout}/.git config core.fsmonitor /bin/false`,
      `ln -s ${checkout} here; cat here/.env; echo x > here/a.txt; rm here`, `ln -s ${checkout}/.env .env; cat .env; rm .env`,
    ];
    for (const command of tries) {
      const result = await bench.call(command);
      expect(result.text, command).not.toMatch(/of-the-checkout|uncommitted work/);
    }
    expect(bench.snapshot()).toEqual(before);
    expect(readFileSync(path.join(checkout, 'a.txt'), 'utf8')).toBe('uncommitted work\n');
  });

  it('then neither the kernel\'s settings nor its devices can be written, also by root', async () => {
    const result = await bench.call('(: >> /proc/sys/kernel/core_pattern) 2>/dev/null && echo open; find /proc/sys /proc/irq /proc/bus /proc/fs /proc/sysrq-trigger /sys -type f -writable 2>/dev/null; echo looked at $(find /proc/sys -type f | wc -l)');
    expect(result.text).toMatch(/^exit code 0.*\nlooked at [1-9]\d{2,}\n$/);
  });

  it('then git reads, and changes nothing of the repository: no ref, index, stash, config or hook (B4)', async () => {
    const before = bench.snapshot();
    const log = await bench.call('/usr/bin/git log --oneline && /usr/bin/git diff --stat');
    expect(log).toMatchObject({ ok: true });
    const common = path.join(bench.repository.folder, '.git');
    // As a script of the project would, past the advice that an agent gets.
    const git = (words: string): string => `: && /usr/bin/git ${words}`;
    for (const command of [git('add -A'), git('stash'), git('branch made'), git('config user.name x'), git('update-ref refs/heads/made HEAD'), `echo x > ${common}/hooks/pre-commit`, `mkdir -p ${common}/hooks && echo x > ${common}/hooks/post-checkout`, `rm -rf ${common}/objects`, `echo x >> ${common}/config`, `chmod 777 ${common}`]) {
      const result = await bench.call(command);
      expect(result.ok, command).toBe(false);
    }
    expect(bench.snapshot()).toEqual(before);
    expect((await bench.call(git('add -A'))).text).toMatch(/\[sandbox\] Only the worktree.*Git is read-only here/);
  });

  it('then nothing takes the place of the worktree\'s .git, so that no config of its own runs on the host (B9)', async () => {
    const before = bench.snapshot();
    const program = path.join(bench.worktree, 'monitor.sh');
    writeFileSync(program, `#!/bin/sh\ntouch ${bench.folder}/ran\n`, { mode: 0o755 });
    for (const command of [`mv .git x; /usr/bin/git init; /usr/bin/git config core.fsmonitor ${program}`, 'rm -f .git', 'echo gitdir: /elsewhere > .git', 'cp -r . ../copy', `mkdir ../e3 && mv ${bench.worktree} ../e4`, 'unlink .git; ln -s x .git', 'umount .git; rm .git', 'unshare -Urm sh -c "umount .git; rm .git"']) await bench.call(command);
    expect(bench.snapshot()).toEqual(before);
    bench.repository.git('-C', bench.worktree, 'status');
    expect(existsSync(path.join(bench.folder, 'ran'))).toBe(false);
    // A submodule of it, as setup checks one out.
    const pointer = path.join(bench.worktree, 'lib/.git');
    mkdirSync(path.dirname(pointer));
    writeFileSync(pointer, 'gitdir: /elsewhere\n');
    await bench.call('rm -rf lib/.git; mv lib/.git x; mv lib lib2; mkdir -p lib; echo gitdir: /mine > lib/.git', { brought: [...COPIED, 'lib'] });
    expect(readFileSync(pointer, 'utf8')).toBe('gitdir: /elsewhere\n');
  });

  it('then other agents\' worktrees and what Worldtree knows of them are not there', async () => {
    writeFileSync(path.join(bench.neighbour, 'theirs'), 'work of another agent\n');
    const ledger = path.join(bench.repository.folder, '.git/worldtree');
    mkdirSync(ledger, { recursive: true });
    writeFileSync(path.join(ledger, 'transcript'), 'words of another agent\n');
    const result = await bench.call(`cat ${bench.neighbour}/theirs; echo x > ${bench.neighbour}/theirs; ls ${path.dirname(bench.neighbour)}; cat ${ledger}/transcript; touch ${ledger}/x`);
    expect(result.text).not.toMatch(/of another agent/);
    expect(readFileSync(path.join(bench.neighbour, 'theirs'), 'utf8')).toBe('work of another agent\n');
    expect(readdirSync(ledger)).toEqual(['transcript']);
  });

  it('then secrets of the home folder are not read, and nothing there is written (B8)', async () => {
    const secrets = ['.ssh/id_ed25519', '.aws/credentials', '.docker/config.json', '.kube/config', '.netrc', '.npmrc', '.git-credentials', '.gnupg/key', '.config/gh/hosts.yml', '.bash_history', 'editor/state.vscdb', '.cargo/credentials.toml', '.config/Code/User/settings.json'].map((name) => bench.inHome(name, 'secret of the person\n'));
    const bashrc = bench.inHome('.bashrc', 'echo usual\n');
    bench.inHome('.config/tool/settings', 'setting of a tool\n');
    for (const secret of secrets) {
      const link = path.join(bench.worktree, 'link');
      symlinkSync(secret, link);
      const result = await bench.call(`cat ${secret}; cat link; rm link`);
      expect(result.text, secret).not.toContain('secret of the person');
    }
    expect((await bench.call(`cat ~/.config/tool/settings`)).text).toContain('setting of a tool');
    await bench.call(`echo evil >> ${bashrc}; echo evil > ~/.profile; mkdir -p ~/.ssh && echo key > ~/.ssh/authorized_keys; mkdir -p ~/.npm/_logs && echo x > ~/.npm/_logs/x; rm -rf ~/.config`);
    expect(readFileSync(bashrc, 'utf8')).toBe('echo usual\n');
    expect(existsSync(path.join(bench.home, '.profile'))).toBe(false);
    expect(readdirSync(path.join(bench.home, '.ssh'))).toEqual(['id_ed25519']);
    expect(existsSync(path.join(bench.home, '.config/tool/settings'))).toBe(true);
    expect(existsSync(path.join(bench.home, '.npm/_logs/x'))).toBe(false);
  });

  it('then no key of a model is in its environment or in that of a process that it sees (B8)', async () => {
    await bench.call('env > seen; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr "\\0" "\\n" >> seen');
    const seen = readFileSync(path.join(bench.worktree, 'seen'), 'utf8');
    expect(seen).toMatch(/^PATH=/m);
    expect(seen).not.toMatch(/of-a-model|\/agent|OPENAI/);
    expect((await bench.call(`kill -0 ${process.pid}`)).ok).toBe(false);
  });

  it('then a socket of another program cannot be opened, wherever it lies', async () => {
    const socket = path.join(bench.worktree, 's');
    const reached: string[] = [];
    const server = createServer((connection) => {
      reached.push('connected');
      connection.end();
    });
    servers.push(server);
    // Its path may be longer than an address of a socket can be.
    process.chdir(bench.worktree);
    await new Promise<void>((resolve) => server.listen('s', resolve));
    process.chdir(bench.folder);
    expect(existsSync(socket)).toBe(true);
    const result = await bench.call('socat -u OPEN:/dev/null UNIX-CONNECT:s');
    expect(result.ok).toBe(false);
    expect(result.text).toMatch(/not permitted/);
    expect(reached).toEqual([]);
  });

  it('then a server of the person\'s on this machine is closed until the person allows its port, which is asked once', async () => {
    const requests: string[] = [];
    const server = createHttpServer((request, response) => {
      requests.push(request.url ?? '');
      response.end('data of the person');
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const command = `node -e "fetch('http://127.0.0.1:${String(port)}/x').then((r) => r.text()).then(console.log, (e) => { console.error(e.cause.message); process.exit(1) })"`;
    const closed = await bench.call(command);
    expect(closed.text).toContain(`[sandbox] Port ${String(port)} of this machine was closed to the command, and the person has not allowed it.`);
    expect(requests).toEqual([]);
    const allowed = await bench.call(command, { mayReach: true });
    expect(allowed.text).toContain(`[sandbox] Port ${String(port)} of this machine was closed to the command; the person has allowed it now.`);
    expect(bench.askedPorts).toEqual([port, port]);
    expect(requests).toEqual([]);
    expect((await bench.call(command)).text).toContain('data of the person');
    expect((await bench.call(`node -e "require('http').createServer().listen(${String(port)}, '127.0.0.1')"`)).text).toContain(`[sandbox] These ports lead to servers of the person’s, so no command can listen on them: ${String(port)}.`);
    expect(requests).toEqual(['/x']);
    expect(bench.askedPorts).toHaveLength(2);
    await bench.network.rememberLevel('on');
    expect((await bench.call(command)).text).toContain('data of the person');
    await bench.network.rememberLevel('off');
  });

  it('then the person is asked about a few ports, however many it prints', async () => {
    const open = await Promise.all(Array.from({ length: 10 }, () => new Promise<number>((resolve) => {
      const server = createServer();
      servers.push(server);
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
    })));
    const before = bench.askedPorts.length;
    await bench.call(`for port in ${open.join(' ')}; do echo "connect ECONNREFUSED 127.0.0.1:$port"; done; false`);
    expect(bench.askedPorts.slice(before)).toEqual(open.slice(0, 8));
  });

  it('then it has a loopback of its own, on which its tests may serve and ask', async () => {
    const result = await bench.call(`node -e "const s = require('http').createServer((q, r) => r.end('own server')).listen(0, '127.0.0.1', () => fetch('http://127.0.0.1:' + s.address().port).then((r) => r.text()).then((t) => { console.log(t); s.close(); }))"`);
    expect(result.text).toContain('own server');
  });

  it.skipIf(!onPath('curl'))('then what it tried to reach is named, with what could allow it', async () => {
    const result = await bench.call('curl -sS -m 20 https://registry.example.com/pkg; curl -sS -m 20 http://other.example.com/');
    expect(result.text).toMatch(/^\[sandbox\] registry\.example\.com:443 was not reachable: .*worldtree\.sandbox\.network/m);
    expect(result.text).toMatch(/^\[sandbox\] other\.example\.com:80 was not reachable/m);
    expect((await bench.call('echo "[sandbox] nothing"; false')).text).not.toMatch(/not reachable|Only the worktree/);
  });

  it('then nothing that it left behind runs on, in whatever session, also after its time', async () => {
    const running = (): string[] => readdirSync('/proc').filter((pid) => /^\d+$/.test(pid)).flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, 'latin1')];
      } catch {
        return [];
      }
    }).filter((line) => line.includes('98765'));
    await bench.call('(setsid nohup sleep 98765 >/dev/null 2>&1 &); (sleep 98765 & disown) >/dev/null 2>&1; echo left');
    const timed = await bench.call('setsid sleep 98765 & sleep 98765', { seconds: 1 });
    expect(timed.text).toMatch(/stopped after 1 s/);
    await expect.poll(running, { timeout: 5_000 }).toEqual([]);
  });

  it('then folders for what is temporary are its own, and empty', async () => {
    const theirs = path.join('/tmp', `worldtree-of-the-person-${String(process.pid)}`);
    writeFileSync(theirs, 'x');
    const result = await bench.call(`ls -A /tmp /var/tmp; echo y > /tmp/mine && echo wrote; echo y > ${theirs}`);
    expect(result.text).not.toContain('of-the-person');
    expect(result.text).toContain('wrote');
    expect(readFileSync(theirs, 'utf8')).toBe('x');
    expect(existsSync('/tmp/mine')).toBe(false);
  });

  it('then what setup linked from the checkout is read there, and nothing that the agent links', async () => {
    bench.repository.write({ 'node_modules/dep/index.js': 'dependency\n' });
    const link = (name: string): void => symlinkSync(path.join(bench.repository.folder, name), path.join(bench.worktree, name));
    link('node_modules');
    link('.env');
    const result = await bench.call('cat node_modules/dep/index.js; cat .env; echo x > node_modules/dep/index.js', { brought: [...COPIED, 'node_modules'], linked: ['node_modules'] });
    expect(result.text).toContain('dependency');
    expect(result.text).not.toContain('of-the-checkout');
    expect(readFileSync(path.join(bench.repository.folder, 'node_modules/dep/index.js'), 'utf8')).toBe('dependency\n');
    expect((await bench.call('rm node_modules .env; ln -s / node_modules; cat node_modules/etc/hostname >/dev/null; rm node_modules', { brought: ['node_modules'], linked: ['node_modules'] })).text).not.toContain('of-the-checkout');
  });

  it('then a link that it puts in the place of a file that setup made leads nowhere', async () => {
    writeFileSync(path.join(bench.worktree, '.env'), 'SECRET=for-tests\n');
    await bench.call(`rm .env; ln -s ${bench.repository.folder}/.env .env`, { brought: ['.env'] });
    expect((await bench.call('cat .env', { brought: ['.env'] })).text).not.toContain('of-the-checkout');
    await bench.call('rm .env');
  });
});
