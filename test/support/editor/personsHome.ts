import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../projectRoot.ts';

const ownBinaries = path.join(projectRoot, 'node_modules', '.bin');

/** A home of its own for an editor: who the person is for git, and none of the machine's settings, caches and keys. */
export function makePersonsHome(folder: string): NodeJS.ProcessEnv {
  const temporary = path.join(folder, 'tmp');
  mkdirSync(temporary, { recursive: true });
  const gitConfig = path.join(folder, '.gitconfig');
  writeFileSync(gitConfig, '[user]\n\tname = Ada Person\n\temail = ada@example.test\n[init]\n\tdefaultBranch = main\n');
  const inherited = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  return {
    ...Object.fromEntries(inherited),
    PATH: (process.env['PATH'] ?? '').split(path.delimiter).filter((entry) => path.resolve(entry) !== ownBinaries).join(path.delimiter),
    HOME: folder,
    USERPROFILE: folder,
    TMPDIR: temporary,
    GIT_CONFIG_GLOBAL: gitConfig,
    GIT_CONFIG_NOSYSTEM: '1',
  };
}

/** Variables of npm, of the test runner, of git hooks and of an editor that these tests may be started from. */
const foreign = /^(npm_|NODE_|VITEST|VSCODE_|ELECTRON_|GIT_|XDG_|INIT_CWD$|FORCE_COLOR$|.*_API_KEY$)/i;
