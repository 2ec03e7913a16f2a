import type { ChangedFile } from '../core/candidate/candidate.ts';
import { changedPaths } from '../core/candidate/scope.ts';
import type { Constraint } from '../core/constraints/constraint.ts';
import { GENESIS_TOML, NO_CONFIG, parseGenesisToml, setupFor, type GenesisConfig } from '../core/constraints/genesisToml.ts';
import { touchesChecks } from '../core/constraints/touchesChecks.ts';
import { shortCommit, type CommitId, type FilePath } from '../core/ids.ts';
import { Refused } from '../core/refusal.ts';
import { fileIn, ROOT } from '../core/paths.ts';
import { ROLES } from '../core/roles.ts';
import { extentFor, type CheckoutSetting } from '../core/world/extent.ts';
import type { Episode } from '../core/world/state.ts';
import { readingAll } from './readingAll.ts';
import type { Repository } from './ports/repository.ts';
import type { PrepareRequest, Setup } from './ports/worktrees.ts';

/** Says, at the root of a commit and in gitignore syntax, which ignored files a worktree needs. */
const INCLUDE_FILE = '.worktreeinclude';

interface Rules {
  readonly constraints: readonly Constraint[];
  readonly scope: GenesisConfig['scopes'];
  readonly limits: GenesisConfig['limits'];
  readonly setup: Setup | null;
  readonly needs: GenesisConfig['needs'];
  /** What in genesis.toml has no effect, and why. */
  readonly warnings: readonly string[];
}

/**
 * What genesis.toml says at a commit. Always asked of a version, never of an agent's tree (rule 5). Throws `Refused`
 * where the file cannot be understood: no rules would be looser rules.
 */
export async function rulesAt(repository: Repository, commit: CommitId): Promise<Rules> {
  const [bytes, include] = await Promise.all([repository.read(commit, fileIn(ROOT, GENESIS_TOML)), repository.read(commit, fileIn(ROOT, INCLUDE_FILE))]);
  const parsed = bytes === null ? { ok: true as const, config: NO_CONFIG, warnings: [] } : parseGenesisToml(new TextDecoder().decode(bytes), shortCommit(commit));
  if (!parsed.ok) throw new Refused(parsed.refusal);
  const { constraints, scopes, limits, needs } = parsed.config;
  const script = setupFor(parsed.config, repository.platform);
  const setup = include === null && script === null ? null : { include: include && new TextDecoder().decode(include), script: script && { run: script.script, timeoutMs: script.timeoutMs } };
  const warnings = parsed.warnings.map(({ line, message }) => `${GENESIS_TOML}${line === null ? '' : ` line ${line}`}: ${message}`);
  return { constraints, scope: scopes, limits, setup, needs, warnings };
}

/** How an episode's worktree is made: as the top-level episode's base says, whatever is checked out (rule 5). */
export async function worktreeRules(repository: Repository, { world, role }: Pick<Episode, 'world' | 'role'>, setting: CheckoutSetting): Promise<Pick<PrepareRequest, 'setup' | 'extent'>> {
  const { setup, needs } = await rulesAt(repository, world.commit);
  // What no command uses is neither copied nor built.
  return { setup: ROLES[role].runsCommands ? setup : null, extent: extentFor({ setting, role, folder: world.path, needs }) };
}

/** Changed files that a constraint at `base` is made of: genesis.toml itself, scripts, manifests that its runner reads. */
export async function checksTouched(repository: Repository, base: CommitId, changed: readonly ChangedFile[]): Promise<FilePath[]> {
  const { constraints } = await rulesAt(repository, base);
  return readingAll(repository, base, (read) => touchesChecks(changedPaths(changed), constraints, read));
}
