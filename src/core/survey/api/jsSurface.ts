import type { FilePath, FolderPath } from '../../ids.ts';
import { fileIn, parentFolder } from '../../paths.ts';
import { isSourceFile } from '../folderKinds.ts';
import { parsePackageJson, type PackageJson } from '../manifests/packageJson.ts';
import type { ApiItem } from './apiItem.ts';
import { parseJsModule, type JsExport, type JsModule } from './jsModule.ts';
import { EMPTY_SURFACE, largest, resolvePath, type ModuleLine, type Place, type Surface } from './surface.ts';

const SOURCE = /\.[cm]?[jt]sx?$/;
const EXTENSIONS = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.d.ts'];
/** Modules that one surface is gathered from. */
const MOST_FOLLOWED = 40;
const DEEPEST = 4;

/** The surface of a JavaScript or TypeScript package, or of a folder of modules; null where there is none. */
export function jsSurface(place: Place): Surface | null {
  const { folder, tree, reading } = place;
  const manifestText = reading.read(fileIn(folder, 'package.json'));
  const manifest = manifestText === null ? null : parsePackageJson(manifestText);
  // An entry that only chooses between built files gives nothing; the next one may be the source of those.
  let gathered: (Gathered & { readonly file: FilePath }) | null = null;
  for (const file of manifest ? mainEntries(place, manifest) : indexes(place, folder)) {
    gathered = { file, ...gather(place, file) };
    if (gathered.items.length > 0) break;
  }
  if (gathered?.items.length === 0) gathered = null;
  const main = gathered?.file ?? null;
  const programs = (manifest?.bin ?? []).flatMap(({ name, file }) => {
    const found = sourceOf(place, file);
    return found === null || name === '' ? [] : [{ name, file: found }];
  });
  const entries = (manifest?.entries ?? []).filter((e) => e.subpath !== '.').flatMap(({ subpath, file }) => {
    const found = sourceOf(place, file);
    return found === null || found === main ? [] : [{ name: `${manifest?.name ?? '.'}${subpath.slice(1)}`, file: found }];
  }).filter((e, i, all) => all.findIndex((other) => other.name === e.name) === i);
  const items = gathered?.items ?? [];
  const files = tree.filesIn(folder).filter((f) => SOURCE.test(f) && isSourceFile(f));
  // An index that gathers nothing from the files beside it leaves those to be told one by one.
  const gathersNothing = !manifest && items.every((i) => i.file === main || i.external !== null) && files.filter((f) => f !== main).length >= 3;
  // What lies at the root of a workspace serves the workspace.
  const isWorkspace = manifest !== null && (manifest.workspaces.length > 0 || tree.has(fileIn(folder, 'pnpm-workspace.yaml')));
  const modules = isWorkspace ? [] : items.length > 0 ? gathersNothing ? moduleLines(place, files.filter((f) => f !== main)) : [] : moduleLines(place, files.length > 0 || !manifest ? files : tree.filesIn(fileIn(folder, 'src') as string as FolderPath).filter((f) => SOURCE.test(f) && isSourceFile(f)));
  if (items.length === 0 && modules.length === 0 && programs.length === 0 && entries.length === 0) return null;
  const of = manifest?.name != null && manifest.name !== '' && items.length > 0 ? `Package \`${manifest.name}\`` : items.length > 0 ? 'Exports' : 'Modules';
  return { ...EMPTY_SURFACE, of: items.length > 0 && main !== null ? `${of}, from \`${within(folder, main)}\`` : of, items, modules, programs, entries, doc: gathered?.doc ?? null, entry: main };
}

/** What the files of a folder export, each on a line. */
export function moduleLines(place: Place, files: readonly FilePath[]): ModuleLine[] {
  return largest(place.tree, files).flatMap((file) => {
    const text = place.reading.read(file);
    const module = text === null ? null : parse(place, file, text);
    if (module === null) return [];
    const names = module.exports.filter((e) => !e.deprecated).sort((a, b) => Number(a.typeOnly) - Number(b.typeOnly)).map((e) => ({ name: nameOf(e.name === 'default' || e.name === 'module.exports' ? defaultName(file, e) : e.name, e.kind), doc: e.doc }));
    return names.length === 0 && module.doc === null ? [] : [{ file, names, doc: module.doc }];
  });
}

function parse({ reading }: Place, file: FilePath, text: string): JsModule {
  return reading.memo(`js ${file}`, () => parseJsModule(text));
}

export function nameOf(name: string, kind: string | null): string {
  return kind === 'function' ? `${name}()` : name;
}

function defaultName(file: FilePath, { name }: JsExport): string {
  const base = (/([^/]+?)(\.d)?\.[cm]?[jt]sx?$/.exec(file)?.[1] ?? file);
  return name === 'default' ? `default (${base})` : base;
}

function mainEntries(place: Place, manifest: PackageJson): FilePath[] {
  const found = manifest.entries.filter((e) => e.subpath === '.').flatMap(({ file }) => sourceOf(place, file) ?? []);
  const all = [...new Set([...found, ...indexes(place, place.folder), ...indexes(place, fileIn(place.folder, 'src') as string as FolderPath)])];
  // Declarations say what there is only where the source is not there to say it.
  return [...all.filter((f) => !f.endsWith('.d.ts')), ...all.filter((f) => f.endsWith('.d.ts'))].slice(0, 4);
}

function indexes({ tree }: Place, folder: FolderPath): FilePath[] {
  return EXTENSIONS.map((e) => fileIn(folder, `index${e}`)).filter((f) => tree.has(f)).slice(0, 1);
}

/**
 * The source behind a file that a manifest names: the file itself, or, where it is built, the file of the same name in
 * the folder of sources. Null where that is not plain to see.
 */
function sourceOf({ folder, tree }: Place, file: string): FilePath | null {
  const written = resolvePath(folder, file);
  if (written === null || !/\.\w+$|\/[^./]+$/.test(`/${file}`)) return null;
  const inside = folder === '' ? written : written.slice(folder.length + 1);
  const unbuilt = inside.replace(/^(?:dist|lib|build|out|esm|cjs|es|dist-[\w-]+|output)\/(?:(?:esm|cjs|es|umd|types|mjs|src)\/)?/, '');
  const bases = [inside, ...(unbuilt === inside ? [] : [`src/${unbuilt}`, unbuilt, `lib/${unbuilt}`])];
  for (const base of bases) {
    const stem = base.replace(/(\.d)?\.[cm]?[jt]sx?$/, '');
    const names = [base, ...(stem === base ? [base] : [stem]).flatMap((b) => [...EXTENSIONS.map((e) => b + e), ...EXTENSIONS.map((e) => `${b}/index${e}`)])];
    const found = names.map((name) => fileIn(folder, name)).find((f) => tree.has(f) && !/^(?:dist|build|out)\//.test(inside === base ? '' : base));
    if (found !== undefined && SOURCE.test(found)) return found;
  }
  return null;
}

interface Gathered {
  readonly items: readonly ApiItem[];
  readonly doc: string | null;
}

/** Follows what the entry passes on to where it is defined. */
function gather(place: Place, entry: FilePath): Gathered {
  const parsed = new Map<FilePath, JsModule | null>();
  const moduleAt = (file: FilePath): JsModule | null => {
    if (!parsed.has(file)) {
      const text = parsed.size < MOST_FOLLOWED ? place.reading.read(file) : null;
      parsed.set(file, text === null ? null : parse(place, file, text));
    }
    return parsed.get(file) ?? null;
  };
  const start = alias(entry, 0);
  const items = new Map<string, ApiItem>();
  const add = (file: FilePath, one: JsExport) => {
    if (!items.has(one.name)) items.set(one.name, defined(file, one, 0));
  };
  addAll(start, 0);
  return { items: [...items.values()].map((i) => (i.name === 'default' || i.name === 'module.exports' ? { ...i, name: 'default export' } : i)), doc: moduleAt(start)?.doc ?? null };

  function addAll(file: FilePath, depth: number): void {
    const module = moduleAt(file);
    for (const one of module?.exports ?? []) if (depth === 0 || one.name !== 'default') add(file, one);
    if (depth >= DEEPEST) return;
    for (const star of module?.stars ?? []) {
      const next = resolveModule(place, file, star);
      if (next !== null) addAll(next, depth + 1);
      else if (!/^[.#]/.test(star)) items.set(`* ${star}`, { name: '*', kind: null, file, doc: null, typeOnly: false, deprecated: false, external: star });
    }
  }

  function alias(file: FilePath, depth: number): FilePath {
    const to = moduleAt(file)?.aliasOf ?? null;
    const next = to === null ? null : resolveModule(place, file, to);
    return next === null || depth > DEEPEST ? file : alias(next, depth + 1);
  }

  function defined(file: FilePath, one: JsExport, depth: number): ApiItem {
    const here: ApiItem = { name: one.name, kind: one.kind, file, doc: one.doc, typeOnly: one.typeOnly, deprecated: one.deprecated, external: null };
    if (one.from === null || depth > DEEPEST) return here;
    const next = resolveModule(place, file, one.from.module);
    if (next === null) return one.from.module.startsWith('.') || one.from.module.startsWith('#') ? here : { ...here, external: one.from.module };
    const { name } = one.from;
    if (name === '*') return { ...here, kind: 'namespace', file: next, doc: moduleAt(next)?.doc ?? null };
    const there = findExport(next, name, depth + 1);
    return there === null ? { ...here, file: next } : { ...there, name: one.name, typeOnly: there.typeOnly || one.typeOnly };
  }

  function findExport(file: FilePath, name: string, depth: number): ApiItem | null {
    const module = moduleAt(file);
    if (module === null || depth > DEEPEST) return null;
    const base = /([^/]+?)\.[cm]?[jt]sx?$/.exec(file)?.[1]?.toLowerCase();
    const whole = name === 'default' || name === 'module.exports';
    const found = module.exports.find((e) => e.name === name) ?? (whole ? module.exports.find((e) => e.name.toLowerCase() === base) ?? (module.exports.length === 1 ? module.exports[0] : undefined) : undefined);
    if (found) return defined(file, found, depth);
    for (const star of module.stars) {
      const next = resolveModule(place, file, star);
      const there = next === null ? null : findExport(next, name, depth + 1);
      if (there !== null) return there;
    }
    return null;
  }
}

function resolveModule({ tree }: Place, from: FilePath, module: string): FilePath | null {
  if (!module.startsWith('.')) return null;
  const path = resolvePath(parentFolder(from), module);
  if (path === null) return null;
  const stem = path.replace(/\.([cm]?)jsx?$/, '');
  const names = [path, ...EXTENSIONS.map((e) => path + e), ...(stem === path ? [] : EXTENSIONS.map((e) => stem + e)), ...EXTENSIONS.map((e) => `${path}/index${e}`)];
  return (names as FilePath[]).find((f) => tree.has(f) && SOURCE.test(f)) ?? null;
}

export function within(folder: FolderPath, file: FilePath): string {
  return folder === '' ? file : file.startsWith(`${folder}/`) ? file.slice(folder.length + 1) : file;
}
