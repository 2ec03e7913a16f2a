import { statfsSync } from 'node:fs';
import path from 'node:path';
import { makeTemporaryFolder, removeFolder } from '../support/temporaryFolder.ts';
import { cloneRepository, generateRepository, git } from './benchRepository.ts';
import { benchRepository, manyAtOnce, type Finding } from './gitFindings.ts';

/**
 * How the product's ways with git compare with git's own commands, side by side in one run.
 *
 *   npm run bench:git [-- /path/to/repository]
 */
const SIZES = [{ files: 213, rounds: 9 }, { files: 9_000, rounds: 5 }, { files: 28_000, rounds: 3 }];
const [given] = process.argv.slice(2);
const parent = makeTemporaryFolder('bench');
// No configuration of the machine bends one side.
process.env['GIT_CONFIG_GLOBAL'] = '/dev/null';
process.env['GIT_CONFIG_NOSYSTEM'] = '1';

try {
  console.log(`${git(parent, 'version')}; ${fileSystemOf(parent)}; medians, the two sides of a ratio take turns`);
  if (given === undefined) {
    for (const { files, rounds } of SIZES) await show(`${files} files`, (at) => generateRepository(at, files), rounds);
    const at = path.join(parent, 'many');
    generateRepository(at, SIZES[0]?.files ?? 0);
    print([await manyAtOnce(at, 100)]);
  } else {
    // npm runs scripts in the project's folder; a path is meant from where the person stands.
    const source = path.resolve(process.env['INIT_CWD'] ?? '.', given);
    await show(source, (at) => cloneRepository(at, source), 5);
  }
} finally {
  removeFolder(parent);
}

async function show(title: string, make: (at: string) => void, rounds: number): Promise<void> {
  const at = path.join(parent, 'repository');
  make(at);
  console.log(`\n${title}`);
  print(await benchRepository(at, rounds));
  removeFolder(at);
  removeFolder(`${at}.worktrees`);
}

function print(findings: readonly Finding[]): void {
  for (const { what, measured, goal, because } of findings) console.log(`  ${what.padEnd(54)} ${measured.padEnd(40)} ${goal.padEnd(12)} ${because === null ? 'met' : `missed because ${because}`}`);
}

/** What timings depend on: an ext4 without a journal makes new files up to 16 times slower after many were deleted. */
function fileSystemOf(folder: string): string {
  const names = new Map([[0x01021994, 'tmpfs, in memory'], [0xef53, 'ext4'], [0x9123683e, 'btrfs'], [0x58465342, 'xfs'], [0x794c7630, 'overlay']]);
  const { type } = statfsSync(folder);
  return `on ${names.get(type) ?? `a file system of type 0x${type.toString(16)}`}`;
}
