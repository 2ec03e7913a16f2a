import type { FilePath } from '../ids.ts';
import { ROOT } from '../paths.ts';
import { packageManager, type Look } from '../survey/commands.ts';
import { parsePackageJson } from '../survey/manifests/packageJson.ts';

/**
 * Of a project whose dependencies lie in the checkout itself: that they are not in the worktree, and what installs them.
 * Null where there are none, or where they are among `files`: those of the version, and what was brought in.
 */
export function dependenciesNote(look: Look, files: readonly FilePath[]): string | null {
  const manifest = 'package.json' as FilePath;
  const dependencies = (look.has(manifest) ? parsePackageJson(look.read(manifest) ?? '') : null)?.dependencies ?? [];
  if (dependencies.length === 0 || files.some((path) => path === 'node_modules' || path.startsWith('node_modules/') || path === '.pnp.cjs')) return null;
  const manager = packageManager(ROOT, look);
  const install = manager === 'npm' && look.has('package-lock.json' as FilePath) ? 'npm ci' : `${manager} install`;
  return `The dependencies of package.json are not installed in your worktree; ${install} does it (folder ".").`;
}
