import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_SANDBOX, onPath } from '../../support/sandboxPrograms.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporaryFolder.ts';
import { NPM_HOST, PYTHON_HOST, Registries } from './registries.ts';
import { SandboxBench } from './sandboxBench.ts';

/** Projects as they are, built by the tools that are here; a registry is answered by this machine. */

const benches: SandboxBench[] = [];
let registries: Registries;
let packages = '';
const realHome = homedir();

const HAS_PIP = runs('python3', '-m', 'pip', '--version');

describe.skipIf(NO_SANDBOX !== null)(`given a project, when it is built in the sandbox${NO_SANDBOX === null ? '' : ` (skipped: ${NO_SANDBOX})`}`, () => {
  beforeAll(async () => {
    packages = makeTemporaryFolder('packages');
    registries = await Registries.start(packages);
    // The sandbox goes to the network by the person's proxy, as their machine is set up.
    for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy']) process.env[name] = registries.address;
    for (const name of ['NO_PROXY', 'no_proxy']) process.env[name] = '';
  });
  afterAll(async () => {
    for (const bench of benches) await bench.close();
    await registries.stop();
    removeFolder(packages);
  });

  it.skipIf(!onPath('npm'))('then npm installs from its registry and runs the tests', async () => {
    const bench = await given({ '.npmrc': `registry=http://${NPM_HOST}/\naudit=false\nfund=false\n`, 'package.json': JSON.stringify({ name: 'shop', version: '1.0.0', scripts: { test: 'node test.js' }, dependencies: { 'sum-of-two': '^1.0.0' } }), 'test.js': 'require("assert").equal(require("sum-of-two")(1, 2), 3); console.log("1 test passed");\n' });
    const installed = await bench.call('npm install && npm test', { seconds: 120 });
    expect(installed.text).toContain('1 test passed');
    expect(registries.asked).toContain(NPM_HOST);
    expect(readdirSync(path.join(path.dirname(bench.worktree), 'caches', 'npm'))).toContain('_cacache');
    expect(existsSync(path.join(bench.home, '.npm'))).toBe(false);
    // From the cache, without any network.
    await bench.network.rememberLevel('off');
    expect((await bench.call('rm -rf node_modules && npm ci --offline && npm test', { seconds: 120 })).text).toContain('1 test passed');
  });

  it.skipIf(!onPath('npm'))('then npm without a network says which host it did not reach, and why', async () => {
    const bench = await given({ '.npmrc': `registry=http://${NPM_HOST}/\nfetch-retries=0\n`, 'package.json': JSON.stringify({ name: 'shop', dependencies: { 'sum-of-two': '^1.0.0' } }) });
    await bench.network.rememberLevel('off');
    const before = registries.asked.length;
    const failed = await bench.call('npm install', { seconds: 120 });
    expect(failed.ok).toBe(false);
    expect(failed.text.split('\n').find((line) => line.startsWith(`[sandbox] ${NPM_HOST}:80 was not reachable`))).toContain('no network');
    expect(registries.asked).toHaveLength(before);
  });

  it.skipIf(!onPath('pnpm'))('then pnpm installs from its registry and runs the tests', async () => {
    const bench = await given({ 'pnpm-workspace.yaml': 'packages: []\n', '.npmrc': `registry=http://${NPM_HOST}/\n`, 'package.json': JSON.stringify({ name: 'shop', version: '1.0.0', scripts: { test: 'node test.js' }, dependencies: { 'sum-of-two': '^1.0.0' } }), 'test.js': 'require("assert").equal(require("sum-of-two")(1, 2), 3); console.log("1 test passed");\n' });
    expect((await bench.call('pnpm install --no-frozen-lockfile && pnpm test', { seconds: 120 })).text).toContain('1 test passed');
  });

  it.skipIf(!HAS_PIP)('then pip installs from its index into an environment of the worktree', async () => {
    const bench = await given({ 'requirements.txt': 'sum-of-two==1.0.0\n', 'test.py': 'import sum_of_two\nassert sum_of_two.add(1, 2) == 3\nprint("1 test passed")\n' });
    const built = await bench.call(`python3 -m venv .venv && .venv/bin/pip install --index-url http://${PYTHON_HOST}/simple/ --trusted-host ${PYTHON_HOST} -r requirements.txt && .venv/bin/python test.py`, { seconds: 180 });
    expect(built.text).toContain('1 test passed');
    expect(existsSync(path.join(bench.home, '.cache'))).toBe(false);
  });

  it.skipIf(!onPath('cargo') || !runs('cargo', '--version'))('then cargo builds and tests', async () => {
    const bench = await given({
      'Cargo.toml': '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\nsum = { path = "sum" }\n', 'src/lib.rs': '#[test]\nfn adds() { assert_eq!(sum::add(1, 2), 3); }\n',
      'sum/Cargo.toml': '[package]\nname = "sum"\nversion = "0.1.0"\nedition = "2021"\n', 'sum/src/lib.rs': 'pub fn add(a: i32, b: i32) -> i32 { a + b }\n',
    });
    expect((await bench.call('cargo test', { seconds: 300 })).text).toContain('test adds ... ok');
    expect(existsSync(path.join(bench.home, '.cargo'))).toBe(false);
  });

  it.skipIf(!onPath('go'))('then go builds and tests, with its build cache beside the worktree', async () => {
    const bench = await given({ 'go.mod': 'module example.test/shop\n\ngo 1.20\n', 'sum/sum.go': 'package sum\n\nfunc Add(a, b int) int { return a + b }\n', 'shop_test.go': 'package shop\n\nimport (\n\t"testing"\n\n\t"example.test/shop/sum"\n)\n\nfunc TestAdds(t *testing.T) {\n\tif sum.Add(1, 2) != 3 {\n\t\tt.Fatal("no")\n\t}\n}\n' });
    expect((await bench.call('GOTOOLCHAIN=local go test ./...', { seconds: 300 })).text).toContain('ok');
    expect(readdirSync(path.join(path.dirname(bench.worktree), 'caches'))).toContain('go-build');
  });
});

async function given(files: Readonly<Record<string, string>>): Promise<SandboxBench> {
  const rustup = process.env['RUSTUP_HOME'] ?? path.join(realHome, '.rustup');
  const bench = await SandboxBench.open({ '.gitignore': 'node_modules\n.venv\ntarget\n', ...files }, { level: 'registries', environment: { ...process.env, ...(existsSync(rustup) ? { RUSTUP_HOME: rustup } : {}) } });
  benches.push(bench);
  return bench;
}

function runs(program: string, ...args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
