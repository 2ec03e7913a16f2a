import { describe, expect, it } from 'vitest';
import { insideScript } from '../../../src/adapters/sandbox/insideScript.ts';
import { diskPolicy, type PolicyFacts } from '../../../src/adapters/sandbox/policy.ts';
import { toolCacheEnvironment } from '../../../src/adapters/sandbox/toolCaches.ts';

const facts: PolicyFacts = {
  platform: 'linux', home: '/home/ada', worktreeRoot: '/home/ada/worldtree', worktree: '/home/ada/worldtree/r/e1', scratch: '/home/ada/worldtree/r/scratch/e1', caches: '/home/ada/worldtree/r/caches',
  checkouts: ['/home/ada/shop'], readsCheckouts: false, pointers: ['/home/ada/worldtree/r/e1/.git'], linked: ['/home/ada/shop/node_modules'], commonDir: '/home/ada/shop/.git', ownFolders: ['/ext/dist'], editorFolders: ['/home/ada/.vscode-server/data/User'], sharedFolders: ['/tmp'],
};

describe.each(['linux', 'darwin'])('what a command may touch of the disk on %s', (platform) => {
  const policy = diskPolicy({ ...facts, platform });

  it('is written in three folders, and not where the pointer to the repository is', () => {
    expect(policy.writable).toEqual([facts.worktree, facts.scratch, facts.caches]);
    expect(policy.locked).toContain('/home/ada/worldtree/r/e1/.git');
  });

  it('hides secrets, the checkout, other agents and what Worldtree and VS Code know', () => {
    expect(policy.hidden).toEqual(expect.arrayContaining(['/home/ada/.ssh', '/home/ada/.gnupg', '/home/ada/.aws', '/home/ada/.docker', '/home/ada/.kube', '/home/ada/.netrc', '/home/ada/.npmrc', '/home/ada/.cargo/credentials.toml', '/home/ada/.config/configstore', '/home/ada/.config/stripe', '/home/ada/.sentryclirc', '/home/ada/.local/share/atuin', '/home/ada/.zsh_sessions', '/home/ada/.local/share/opencode', '/home/ada/shop', '/home/ada/worldtree', '/home/ada/shop/.git/worldtree', '/home/ada/.vscode-server/data/User', '/tmp']));
    expect(policy.hidden).toContain(platform === 'darwin' ? '/home/ada/Library/Keychains' : '/home/ada/.local/share/keyrings');
  });

  it('leaves the repository, what setup linked and its own parts readable', () => {
    expect(policy.readable).toEqual(['/home/ada/shop/.git', '/ext/dist', '/home/ada/shop/node_modules']);
  });

  it('shows the checkout to a setup script', () => {
    const setup = diskPolicy({ ...facts, platform, readsCheckouts: true });
    expect(setup.hidden).not.toContain('/home/ada/shop');
    expect(setup.readable).toContain('/home/ada/shop');
    expect(setup.writable).toEqual(policy.writable);
  });

  it('does not hide a checkout that holds the home folder with all its tools, and its secrets all the same', () => {
    const dotfiles = diskPolicy({ ...facts, platform, checkouts: ['/home/ada'] });
    expect(dotfiles.hidden).not.toContain('/home/ada');
    expect(dotfiles.hidden).toContain('/home/ada/.ssh');
  });
});

describe('caches of tools', () => {
  const environment = toolCacheEnvironment({ caches: '/c', worktree: '/w', home: '/home/ada', inherited: { GOFLAGS: '-mod=vendor', MAVEN_OPTS: '-Xmx1g', RUSTUP_HOME: '/opt/rustup' }, exists: (place) => place === '/home/ada/.cache/ms-playwright' || place === '/w/pnpm-lock.yaml' });

  it('lie in the folder of the repository, and never where the person\'s are', () => {
    const own = ['npm_config_cache', 'npm_config_store_dir', 'YARN_CACHE_FOLDER', 'CARGO_HOME', 'GOCACHE', 'GOMODCACHE', 'PIP_CACHE_DIR', 'UV_CACHE_DIR', 'GRADLE_USER_HOME', 'SCCACHE_DIR', 'BUN_INSTALL_CACHE_DIR', 'DENO_DIR', 'XDG_CACHE_HOME', 'NUGET_PACKAGES'];
    for (const name of own) expect(environment[name], name).toMatch(/^\/c\//);
  });

  it('leave what is installed where it is', () => {
    expect(environment['RUSTUP_HOME']).toBe('/opt/rustup');
    expect(environment['PLAYWRIGHT_BROWSERS_PATH']).toBe('/home/ada/.cache/ms-playwright');
    expect(environment).not.toHaveProperty('CYPRESS_CACHE_FOLDER');
  });

  it('name pnpm\'s store by the name that npm warns of only where pnpm is used', () => {
    expect(toolCacheEnvironment({ caches: '/c', worktree: '/w', home: '/h', inherited: {}, exists: () => false })).not.toHaveProperty('npm_config_store_dir');
  });

  it('are added to the person\'s own options', () => {
    expect(environment['GOFLAGS']).toBe('-mod=vendor -modcacherw');
    expect(environment['MAVEN_OPTS']).toMatch(/^-Xmx1g -Dmaven\.repo\.local=\/c\/m2 /);
  });
});

describe('the script inside', () => {
  it('becomes the command, with every word as it is', () => {
    const script = insideScript({ run: { kind: 'program', file: '/bin/echo', args: ["it's", '$HOME', 'a b'] }, temporary: "/t'mp", reachesPrivate: false, ports: [] });
    expect(script.split('\n').at(-1)).toBe(`exec '/bin/echo' 'it'\\''s' '$HOME' 'a b'`);
    expect(script).toContain(`export TMPDIR='/t'\\''mp'`);
    expect(script).not.toMatch(/NO_PROXY|socat/);
  });

  it('brings allowed ports of the machine', () => {
    const script = insideScript({ run: { kind: 'shell', command: 'true' }, temporary: '/t', reachesPrivate: true, ports: [5432] });
    expect(script).toContain('TCP4-LISTEN:5432,bind=127.0.0.1');
    expect(script).toContain(':1538 00000000:0000 0A');
    expect(script).toContain('export NO_PROXY=localhost,127.0.0.1,::1 ');
  });
});
