import { z } from 'zod';
import { folderPath, type FilePath, type FolderPath } from '../ids.ts';
import type { RoleName } from '../ledger/events.ts';
import { chainTo, isInside, parentFolder, ROOT } from '../paths.ts';
import { ROLES } from '../roles.ts';

export const foldersExtent = z.object({
  kind: z.literal('folders'),
  /** With everything below. */
  whole: z.array(folderPath).readonly(),
  /** With their own files, not with the folders in them: the root, and what lies above the others. */
  above: z.array(folderPath).readonly(),
});
export type FoldersExtent = z.infer<typeof foldersExtent>;

/** How much of a commit a worktree has on disk. The rest is read from git. */
export type Extent = { readonly kind: 'everything' } | FoldersExtent;

export const EVERYTHING: Extent = { kind: 'everything' };

/** The machine's setting. */
export type CheckoutSetting = 'auto' | 'full' | 'sparse';

interface ExtentQuestion {
  readonly setting: CheckoutSetting;
  readonly role: RoleName;
  /** The episode's. */
  readonly folder: FolderPath;
  /** `[worktree] needs` of the top-level episode's base (rule 5); null where it declares none. */
  readonly needs: readonly FolderPath[] | null;
}

/**
 * What is checked out for an episode. Who runs commands may need any file, unless the repository declares which; who
 * only reads and writes with tools needs none.
 */
export function extentFor({ setting, role, folder, needs }: ExtentQuestion): Extent {
  const runs = ROLES[role].runsCommands;
  if (setting === 'full' || (setting === 'auto' && needs === null && runs)) return EVERYTHING;
  const wanted = runs ? [...new Set([folder, ...(needs ?? [])])] : [];
  if (wanted.includes(ROOT)) return EVERYTHING;
  const whole = wanted.filter((f) => !wanted.some((other) => other !== f && isInside(f, other)));
  const above = new Set([folder, ...whole].flatMap((f) => chainTo(parentFolder(f))));
  return { kind: 'folders', whole, above: [...above].filter((f) => !whole.some((other) => isInside(f, other))) };
}

/** Whether a file of the commit, or a submodule, which git takes for a folder here, is on disk from the start. */
export function isCheckedOut(extent: Extent, path: FilePath, is: 'file' | 'submodule' = 'file'): boolean {
  if (extent.kind === 'everything' || extent.whole.some((folder) => isInside(path, folder))) return true;
  return HOLDS_RULES.test(path) || (is === 'file' && extent.above.includes(parentFolder(path)));
}

/**
 * Everywhere on disk: git reads these from there. Without them an ignored file in a folder that is not checked out would
 * become part of a change, and a file that is brought in from there would have other line ends than a checkout gives it.
 */
export const RULES_OF_GIT = ['.gitignore', '.gitattributes'] as const;

const HOLDS_RULES = /(?:^|\/)\.git(?:ignore|attributes)(?:\/|$)/;
