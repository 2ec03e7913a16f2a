import type { FolderPath } from '../ids.ts';
import { baseName, isInside } from '../paths.ts';
import { languageOf } from '../prompt/languages.ts';
import { within } from './api/jsSurface.ts';
import type { Place } from './api/surface.ts';
import { compare, type FileTree } from './fileTree.ts';
import { folderKind, isOpaque, isTestFile, kindBelow } from './folderKinds.ts';
import { purposeLine, surfacesOf } from './purpose.ts';
import type { Reading } from './reading.ts';
import { hasPage, holdsDocuments, isUnit, sourceFilesIn } from './selectFolders.ts';
import { nameOf } from './api/jsSurface.ts';

export interface Route {
  readonly folder: FolderPath;
  readonly words: string;
  /** It has a CONTEXT.md, or is getting one. */
  readonly page: boolean;
}

const MOST_ROUTES = 30;

/** Which folder below holds what, one line each, and how many more there are. `pages` are the folders that get a page now. */
export function routingTable(tree: FileTree, reading: Reading, folder: FolderPath, pages: readonly FolderPath[]): { readonly routes: readonly Route[]; readonly more: number } {
  const paged = (f: FolderPath) => pages.includes(f) || hasPage(tree, f);
  const direct = tree.foldersIn(folder).flatMap((child) => spread(tree, child, paged, 0));
  // A page deeper down is led to from the nearest page above it.
  const deeper = pages.filter((p) => p !== folder && isInside(p, folder) && !direct.includes(p) && !pages.some((q) => q !== folder && q !== p && isInside(q, folder) && isInside(p, q)));
  const all = [...new Set([...direct, ...deeper])].filter((f) => !isOpaque(folderKind(f)) && (folderKind(f) !== 'hidden' || baseName(f) === '.github'));
  const shown = [...all].sort((a, b) => rank(tree, paged, b) - rank(tree, paged, a) || compare(a, b)).slice(0, MOST_ROUTES).sort(compare);
  const routes = shown.flatMap((f) => {
    const words = wordsFor({ folder: f, tree, reading }, paged(f));
    return words === null ? [] : [{ folder: f, words, page: paged(f) }];
  });
  return { routes, more: all.length - shown.length };
}

/** A folder that only holds folders (`packages`, `src`) is told by what it holds. */
function spread(tree: FileTree, folder: FolderPath, paged: (f: FolderPath) => boolean, depth: number): FolderPath[] {
  const below = tree.foldersIn(folder).filter((f) => folderKind(f) === 'source');
  const only = folderKind(folder) === 'source' && depth < 3 && !paged(folder) && !isUnit(tree, folder) && sourceFilesIn(tree, folder).length === 0 && tree.named(folder, 'README.md', 'README.rst') === null && below.length > 0
    // Many folders of which nothing is known but their names are one line, not many.
    && (below.length <= 6 || below.some((f) => paged(f) || isUnit(tree, f) || tree.named(f, 'README.md', 'README.rst') !== null));
  return only ? tree.foldersIn(folder).flatMap((f) => spread(tree, f, paged, depth + 1)) : [folder];
}

function rank(tree: FileTree, paged: (f: FolderPath) => boolean, folder: FolderPath): number {
  return (paged(folder) ? 4 : 0) + (isUnit(tree, folder) ? 2 : 0) + (folderKind(folder) === 'source' ? 1 : 0);
}

/** Null where nothing can be said: a folder whose name is all there is to know is left out. */
function wordsFor(place: Place, paged: boolean): string | null {
  const { folder, tree } = place;
  const kind = folderKind(folder);
  switch (kind) {
    case 'hidden': return hiddenWords(place);
    case 'vendored': case 'generated': case 'fixtures': return null;
    case 'tests': return purposeFromReadme(place) ?? `Tests${languagesIn(tree, folder)}.`;
    case 'examples': return purposeFromReadme(place) ?? (baseName(folder).startsWith('template-') ? null : listWords('Examples', place));
    case 'benchmarks': return purposeFromReadme(place) ?? listWords(/fuzz/i.test(baseName(folder)) ? 'Fuzzing' : 'Benchmarks', place);
    case 'docs':
      // A folder called `doc` may as well hold the code that makes documentation.
      if (holdsDocuments(tree, folder)) return purposeFromReadme(place) ?? listWords('Documentation', place);
      break;
    case 'assets': return null;
    case 'tooling': case 'source': break;
  }
  const purpose = purposeLine(place);
  if (purpose !== null) return sentence(purpose);
  if (paged) {
    const names = surfacesOf(place).flatMap((s) => [...s.items.filter((i) => !i.typeOnly && !i.deprecated && i.external === null).map((i) => `\`${nameOf(i.name, i.kind)}\``), ...s.modules.map((m) => `\`${within(folder, m.file)}\``), ...s.programs.map((p) => `\`${p.name}\``)]);
    if (names.length > 0) return listed(names);
  }
  // What a script is called after what it makes or runs does not make it a test.
  const tests = kind === 'tooling' ? [] : tree.filesIn(folder).filter(isTestFile);
  const files = tree.filesIn(folder).filter((f) => !/^\.|^(README|LICENSE|COPYING|CHANGELOG|package\.json|tsconfig.*|mod\.rs|__init__\.py|index\.[cm]?[jt]sx?|\w+-lock\.\w+)/.test(baseName(f)) && !tests.includes(f));
  if (files.length === 0 && tests.length > 0) return `Tests${languagesIn(tree, folder)}.`;
  const names = [...files.map((f) => `\`${baseName(f)}\``), ...tree.foldersIn(folder).filter((f) => folderKind(f) === 'source').map((f) => `\`${baseName(f)}/\``)];
  return names.length === 0 || (files.length === 0 && names.length === 1) ? null : listed(names);
}

function purposeFromReadme(place: Place): string | null {
  if (place.tree.named(place.folder, 'README.md', 'README.rst', 'CONTEXT.md') === null) return null;
  const line = purposeLine(place);
  return line === null ? null : sentence(line);
}

function hiddenWords({ folder, tree }: Place): string | null {
  if (baseName(folder) !== '.github') return null;
  const workflows = tree.filesIn(`${folder}/workflows` as FolderPath).filter((f) => /\.ya?ml$/.test(f)).map((f) => `\`${baseName(f)}\``);
  return workflows.length === 0 ? null : `GitHub workflows: ${listed(workflows)}`;
}

function listWords(what: string, { folder, tree }: Place): string | null {
  const names = [...tree.foldersIn(folder).filter((f) => !baseName(f).startsWith('.')).map((f) => `\`${baseName(f)}\``), ...tree.filesIn(folder).filter((f) => !/^\.|^(readme|index|conf|make)/i.test(baseName(f)) && (languageOf(f) !== null || /\.(md|mdx|rst|txt|adoc)$/.test(f))).map((f) => `\`${baseName(f)}\``)];
  return names.length === 0 ? null : `${what}: ${listed(names)}`;
}

function listed(names: readonly string[]): string {
  const shown = [...new Set(names)];
  return shown.length <= 7 ? `${shown.join(', ')}.` : `${shown.slice(0, 6).join(', ')} and others.`;
}

/** ` (TypeScript)` for what most of the files below are written in. */
function languagesIn(tree: FileTree, folder: FolderPath): string {
  const counts = new Map<string, number>();
  for (const f of [folder, ...tree.foldersBelow(folder)]) {
    for (const file of f === folder || kindBelow(folder, f) !== 'fixtures' ? tree.filesIn(f) : []) {
      const language = languageOf(file);
      if (language !== null) counts.set(language, (counts.get(language) ?? 0) + 1);
    }
  }
  const [most] = [...counts].sort((a, b) => b[1] - a[1] || compare(a[0], b[0]));
  return most ? ` in ${most[0]}` : '';
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
