import type { FilePath, FolderPath } from '../ids.ts';
import { baseName, isInside, parentFolder } from '../paths.ts';
import { compare, type FileTree } from './fileTree.ts';
import { isSourceFile, kindBelow } from './folderKinds.ts';

/** Pages that one survey proposes besides that of the folder itself. */
const MOST_BELOW = 12;

/** Manifests that make a folder a unit of its own. */
const UNIT_MANIFESTS = ['package.json', 'Cargo.toml', 'pyproject.toml', 'setup.py', 'setup.cfg', 'go.mod', 'composer.json', 'pom.xml', 'build.gradle', 'build.gradle.kts', 'mix.exs', 'Package.swift', 'pubspec.yaml', 'Gemfile', 'deno.json'];

const ENTRY = /^(index|main|mod|lib)\.(tsx?|jsx?|mts|cts|mjs|cjs|rs|go)$|^__init__\.py$|^doc\.go$/;

/**
 * The folders that get a page: the surveyed one, and the most substantial below it, by how much source they hold, whether
 * they are a unit with a manifest or have a readme, and how near they are. Never tests, fixtures, examples, assets, or
 * what is generated or vendored; never one that has a CONTEXT.md.
 */
export function selectFolders(tree: FileTree, folder: FolderPath): FolderPath[] {
  const below = tree.foldersBelow(folder)
    .filter((f) => holdsSource(tree, folder, f) && isSubstantial(tree, folder, f))
    .map((f) => ({ folder: f, score: score(tree, folder, f) }))
    .sort((a, b) => b.score - a.score || compare(a.folder, b.folder))
    .slice(0, MOST_BELOW)
    .map((f) => f.folder);
  return [folder, ...below.sort(compare)].filter((f) => !hasPage(tree, f));
}

export function hasPage(tree: FileTree, folder: FolderPath): boolean {
  return tree.named(folder, 'CONTEXT.md') !== null;
}

export function isUnit(tree: FileTree, folder: FolderPath): boolean {
  const manifest = tree.named(folder, ...UNIT_MANIFESTS);
  // Beside built modules, a package.json only says of which kind they are.
  return manifest !== null && !(baseName(manifest) === 'package.json' && /^(esm|cjs|mjs|umd)$/.test(baseName(folder)));
}

export function sourceFilesIn(tree: FileTree, folder: FolderPath): FilePath[] {
  return tree.filesIn(folder).filter(isSourceFile);
}

/** Whether nothing on the way to a folder says that it holds something else. A folder `doc` without documents is code. */
function holdsSource(tree: FileTree, surveyed: FolderPath, folder: FolderPath): boolean {
  const kind = kindBelow(surveyed, folder);
  return kind === 'source' || (kind === 'docs' && kindBelow(surveyed, parentFolder(folder)) === 'source' && !holdsDocuments(tree, folder));
}

/** Whether there are texts for readers in a folder or below it. */
export function holdsDocuments(tree: FileTree, folder: FolderPath): boolean {
  return [folder, ...tree.foldersBelow(folder)].some((f) => tree.filesIn(f).some((file) => /\.(md|mdx|rst|txt|adoc|html|tex)$/.test(file)));
}

function isSubstantial(tree: FileTree, surveyed: FolderPath, folder: FolderPath): boolean {
  const own = sourceFilesIn(tree, folder);
  const ownBytes = bytesOf(tree, own);
  if (isUnit(tree, folder)) return sourceBytes(tree, folder) > 0;
  // A unit's page tells what is in its own src: a second page would say the same.
  const parent = parentFolder(folder);
  if (isUnit(tree, parent) && /^(src|lib|source)$/.test(baseName(folder)) && (parent !== surveyed || own.some((f) => ENTRY.test(baseName(f))))) return false;
  if (tree.named(folder, 'README.md', 'README.rst', 'README') !== null) return own.length > 0;
  return ownBytes >= 4000 && (own.length >= 3 || own.some((f) => ENTRY.test(baseName(f)))) || ownBytes >= 20_000;
}

function score(tree: FileTree, surveyed: FolderPath, folder: FolderPath): number {
  const own = sourceFilesIn(tree, folder);
  // What lies deeper counts for units; else it would count for each folder on the way.
  const bytes = isUnit(tree, folder) ? sourceBytes(tree, folder) : bytesOf(tree, own);
  const depth = folder.split('/').length - (surveyed === '' ? 0 : surveyed.split('/').length);
  return 10 * Math.log2(1 + bytes / 1024) + (isUnit(tree, folder) ? 25 : 0) + (tree.named(folder, 'README.md', 'README.rst') ? 10 : 0) + (own.some((f) => ENTRY.test(baseName(f))) ? 5 : 0) - 4 * depth;
}

function sourceBytes(tree: FileTree, folder: FolderPath): number {
  const folders = [folder, ...tree.foldersBelow(folder).filter((f) => isInside(f, folder) && kindBelow(folder, f) === 'source')];
  return folders.reduce((sum, f) => sum + bytesOf(tree, sourceFilesIn(tree, f)), 0);
}

function bytesOf(tree: FileTree, files: readonly FilePath[]): number {
  return files.reduce((sum, f) => sum + tree.size(f), 0);
}
