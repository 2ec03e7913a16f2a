import { describe, expect, it } from 'vitest';
import { limitsAbove, narrowLimits, parseGenesisToml, setupFor } from '../../../src/core/constraints/genesisToml.ts';
import { DELEGATION_LIMITS } from '../../../src/core/limits/limits.ts';

describe('a genesis.toml', () => {
  it('is understood in all of its parts', () => {
    const config = understood(`
[worktree]
script = { linux = "./setup.sh", macos = "./setup-mac.sh", default = "echo none" }
timeout = "5m"

[commands]
test = "pnpm test"
lint = { run = "pnpm lint" }

[foreign_repos.docs]
url = "https://example.com/docs.git"

[[constraint]]
name = "test"
run = "pnpm test"
paths = ["packages/**", "!packages/docs/**"]
timeout = 90

[[constraint]]
name = "style"
run = "pnpm lint"
required = false

[[scope]]
path = "packages/api"
also = "docs/api/**"

[limits]
cost_usd = 1
minutes = 10
turns = 40
`);
    expect(config.setup).toEqual({ scripts: { linux: './setup.sh', darwin: './setup-mac.sh', default: 'echo none' }, timeoutMs: 300_000 });
    expect(config.commands).toEqual([{ name: 'test', run: 'pnpm test' }, { name: 'lint', run: 'pnpm lint' }]);
    expect(config.foreignRepos.get('docs')).toEqual({ url: 'https://example.com/docs.git' });
    expect(config.constraints).toEqual([
      { name: 'test', run: 'pnpm test', paths: ['packages/**', '!packages/docs/**'], timeoutMs: 90_000, required: true },
      { name: 'style', run: 'pnpm lint', paths: ['**'], timeoutMs: 600_000, required: false },
    ]);
    expect(config.scopes).toEqual([{ path: 'packages/api', also: ['docs/api/**'] }]);
    expect(config.limits).toEqual({ costUsd: 1, wallMs: 600_000, turns: 40 });
  });

  it('may be empty', () => {
    expect(understood('')).toMatchObject({ setup: null, constraints: [], limits: {} });
  });

  it('gives each platform its setup, and the default to the others', () => {
    const config = understood('[worktree]\nscript = { windows = "setup.cmd", default = "sh setup.sh" }');
    expect([setupFor(config, 'win32')?.script, setupFor(config, 'linux')?.script]).toEqual(['setup.cmd', 'sh setup.sh']);
    expect(setupFor(understood('[worktree]\nscript = { macos = "x" }'), 'linux')).toBeNull();
    expect(setupFor(understood('[worktree]\nscript = "x"'), 'darwin')).toEqual({ script: 'x', timeoutMs: 600_000 });
  });

  it('can lower limits and never raise them', () => {
    const { limits } = understood('[limits]\nturns = 10\ncost_usd = 500\nchildren = 0');
    expect(narrowLimits(DELEGATION_LIMITS, limits)).toEqual({ ...DELEGATION_LIMITS, turns: 10, children: 0 });
  });
});

describe('what is not known in a genesis.toml', () => {
  it('is warned about by line, and has no effect', () => {
    const read = parseGenesisToml('# ours\n[limits]\nturns = 3\nturnz = 4\n\n[[constraint]]\nname = "a"\nrun = "b"\n\n[[constraint]]\nname = "c"\nrun = "d"\npath = "x"\n\n[spaceship]\nspeed = 1\n');
    expect(read.ok && read.warnings.map((w) => w.line)).toEqual([15, 13, 4]);
    expect(read.ok && read.warnings[2]?.message).toMatch(/limits, turnz is not known.*cost_usd/);
  });

  it.each(['acceptance = "gate"', 'base_url = "http://evil"', 'api_key = "x"', '[network]\nallow = true'])('says of %j that only a machine can set it', (line) => {
    const read = parseGenesisToml(line);
    expect(read.ok && read.warnings).toEqual([{ line: 1, message: expect.stringContaining('setting of the machine') as string }]);
  });
});

describe('the folders that a worktree needs', () => {
  it('are understood, one or several; none and nothing said are told apart', () => {
    expect(understood('[worktree]\nneeds = ["packages/core", "./tools/"]').needs).toEqual(['packages/core', 'tools']);
    expect(understood('[worktree]\nneeds = "tools"').needs).toEqual(['tools']);
    expect(understood('[worktree]\nneeds = []').needs).toEqual([]);
    expect(understood('[worktree]\nsetup = "npm ci"').needs).toBeNull();
    expect(understood('').needs).toBeNull();
  });
});

describe('what is known in a genesis.toml and has no effect', () => {
  it('limits above those of the delegation, each named', () => {
    const { limits } = understood('[limits]\nturns = 1000\nchildren = 0\nminutes = 60');
    expect(limitsAbove(DELEGATION_LIMITS, limits)).toEqual([expect.stringMatching(/^limits, turns has no effect/)]);
  });
});

describe('a broken genesis.toml', () => {
  it.each([
    ['no TOML', '[[constraint]\nname = "x"', 1],
    ['a missing command', '[[constraint]]\nname = "test"\n', 1],
    ['an empty command', '[[constraint]]\nname = "test"\nrun = " "\n', 3],
    ['a constraint table that is no list', '[constraint]\nname = "test"\nrun = "x"\n', 1],
    ['a time-out below zero', '[[constraint]]\nname = "t"\nrun = "x"\ntimeout = -1\n', 4],
    ['a time-out in words', '[[constraint]]\nname = "t"\nrun = "x"\ntimeout = "soon"\n', 4],
    ['no paths at all', '[[constraint]]\nname = "t"\nrun = "x"\npaths = []\n', 4],
    ['only exceptions', '[[constraint]]\nname = "t"\nrun = "x"\npaths = ["!a"]\n', 4],
    ['paths outside', '[[constraint]]\nname = "t"\nrun = "x"\npaths = ["../x"]\n', 4],
    ['required in words', '[[constraint]]\nname = "t"\nrun = "x"\nrequired = "no"\n', 4],
    ['two of one name', '[[constraint]]\nname = "t"\nrun = "x"\n[[constraint]]\nname = "t"\nrun = "true"\n', 5],
    ['a scope above the root', '[[scope]]\npath = "../x"\nalso = ["y"]\n', 2],
    ['a limit in words', '[limits]\nturns = "many"\n', 2],
  ])('(%s) is refused in words with its line, never read as no constraints', (_, text, line) => {
    const read = parseGenesisToml(text, 'the tip');
    expect(read.ok).toBe(false);
    if (read.ok) return;
    expect(read.line).toBe(line);
    expect(read.refusal).toMatchObject({ reason: 'config-broken', message: expect.stringMatching(new RegExp(`of the tip .*line ${line}: `)) as string, files: ['genesis.toml'] });
  });
});

function understood(text: string) {
  const read = parseGenesisToml(text);
  if (!read.ok) throw new Error(read.refusal.message);
  expect(read.warnings).toEqual([]);
  return read.config;
}
