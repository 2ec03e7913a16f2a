import type { FilePath, FolderPath } from '../../ids.ts';
import { baseName, fileIn, parentFolder } from '../../paths.ts';
import { isSourceFile } from '../folderKinds.ts';
import { parseTomlManifest } from '../manifests/tomlManifest.ts';
import type { ApiItem } from './apiItem.ts';
import { nameOf, within } from './jsSurface.ts';
import { parseRustModule, type RustModule } from './rustModule.ts';
import { EMPTY_SURFACE, largest, type Place, type Surface } from './surface.ts';

const DEEPEST = 4;

/** The surface of a Rust crate or of a folder of its modules; null where there is none. */
export function rustSurface(place: Place): Surface | null {
  const { folder, tree, reading } = place;
  const manifestText = reading.read(fileIn(folder, 'Cargo.toml'));
  const manifest = manifestText === null ? null : parseTomlManifest(manifestText);
  if (manifest?.text('package', 'name') != null) {
    const name = manifest.text('package', 'name') ?? '';
    const lib = fileIn(folder, manifest.text('lib', 'path') ?? 'src/lib.rs');
    const programs = programsOf(place, name, manifest.rows('bin').map((row) => ({ name: row.text('name') ?? name, file: row.text('path') })));
    const text = reading.read(lib);
    if (text === null) {
      const modules = programs.length > 0 ? [] : moduleLines(place, tree.filesIn(fileIn(folder, 'src') as string as FolderPath));
      return programs.length === 0 && modules.length === 0 ? null : { ...EMPTY_SURFACE, of: `Crate \`${name}\``, modules, programs, doc: programs[0] ? moduleDoc(place, programs[0].file) : null };
    }
    const module = parse(place, lib, text);
    return { ...EMPTY_SURFACE, of: `Crate \`${name}\`${manifest.flag('lib', 'proc-macro') === true ? ' (procedural macros)' : ''}, from \`${within(folder, lib)}\``, items: itemsOf(place, lib, module, 0), programs, doc: module.doc, entry: lib };
  }
  const mod = fileIn(folder, 'mod.rs');
  const text = reading.read(mod);
  const module = text === null ? null : parse(place, mod, text);
  const items = module === null ? [] : itemsOf(place, mod, module, 0);
  if (items.length > 0) return { ...EMPTY_SURFACE, of: `Module \`${baseName(folder)}\`, from \`mod.rs\``, items, doc: module?.doc ?? null, entry: mod };
  const modules = moduleLines(place, tree.filesIn(folder));
  return modules.length === 0 ? null : { ...EMPTY_SURFACE, of: 'Rust modules', modules, doc: module?.doc ?? null };
}

function programsOf({ folder, tree }: Place, crate: string, declared: readonly { name: string; file: string | null }[]): { name: string; file: FilePath }[] {
  const found = declared.map(({ name, file }) => ({ name, file: file === null ? [fileIn(folder, `src/bin/${name}.rs`), fileIn(folder, `src/bin/${name}/main.rs`), fileIn(folder, 'src/main.rs')].find((f) => tree.has(f)) : fileIn(folder, file) }));
  const main = fileIn(folder, 'src/main.rs');
  if (tree.has(main) && !found.some((p) => p.file === main)) found.push({ name: crate, file: main });
  for (const file of tree.filesIn(fileIn(folder, 'src/bin') as string as FolderPath)) if (file.endsWith('.rs') && !found.some((p) => p.file === file)) found.push({ name: baseName(file).slice(0, -3), file });
  return found.flatMap(({ name, file }) => (file !== undefined && tree.has(file) ? [{ name, file }] : []));
}

/** Items of a module: its own, what it passes on, and its public modules. */
function itemsOf(place: Place, file: FilePath, module: RustModule, depth: number): ApiItem[] {
  const items: ApiItem[] = module.items.map((i) => ({ ...i, file, typeOnly: false, external: null }));
  for (const { path, name } of module.uses) {
    if (name === '*') {
      const target = depth < DEEPEST ? follow(place, file, module, path.slice(0, -1)) : null;
      if (target?.module) items.push(...itemsOf(place, target.file, target.module, depth + 1).filter((i) => !items.some((other) => other.name === i.name)));
    } else if (!items.some((i) => i.name === name)) {
      const found = passedOn(place, file, module, path, name, depth);
      if (found) items.push(found);
    }
  }
  for (const { name, public: isPublic, doc } of module.modules) {
    if (!isPublic || items.some((i) => i.name === name)) continue;
    const at = moduleFile(place, file, name);
    items.push({ name, kind: 'module', file: at ?? file, doc: doc ?? (at === null ? null : moduleDoc(place, at)), typeOnly: false, deprecated: false, external: null });
  }
  return items;
}

function passedOn(place: Place, file: FilePath, module: RustModule, path: readonly string[], name: string, depth: number): ApiItem | null {
  const unknown: ApiItem = { name, kind: null, file, doc: null, typeOnly: false, deprecated: false, external: null };
  // A name alone that nothing here has is another crate.
  const isCrate = path.length === 1 && /^[a-z]/.test(path[0] ?? '') && !module.modules.some((m) => m.name === path[0]) && moduleFile(place, file, path[0] ?? '') === null;
  const target = isCrate ? null : follow(place, file, module, path.slice(0, -1));
  if (target === null) return { ...unknown, external: ['crate', 'self', 'super'].includes(path[0] ?? '') ? null : (path[0] ?? null) };
  const original = path.at(-1) ?? name;
  const found = target.module?.items.find((i) => i.name === original);
  if (found) return { ...found, name, file: target.file, typeOnly: false, external: null };
  const again = depth < DEEPEST ? target.module?.uses.find((u) => u.name === original) : undefined;
  if (again && target.module) return { ...(passedOn(place, target.file, target.module, again.path, original, depth + 1) ?? unknown), name };
  const submodule = moduleFile(place, target.file, original);
  if (submodule !== null) return { ...unknown, kind: 'module', file: submodule, doc: moduleDoc(place, submodule) };
  return { ...unknown, file: target.file };
}

/** The module that path segments lead to from a file; null where they lead into another crate. */
function follow(place: Place, file: FilePath, module: RustModule, segments: readonly string[]): { file: FilePath; module: RustModule | null } | null {
  let at = file;
  let rest = segments;
  if (rest[0] === 'crate') {
    at = crateRoot(place, file);
    rest = rest.slice(1);
  } else if (rest[0] === 'self') rest = rest.slice(1);
  else if (rest.length > 0 && !module.modules.some((m) => m.name === rest[0])) return null;
  for (const segment of rest) {
    const next = moduleFile(place, at, segment);
    if (next === null) return null;
    at = next;
  }
  const text = place.reading.read(at);
  return { file: at, module: at === file ? module : text === null ? null : parse(place, at, text) };
}

function crateRoot({ tree }: Place, file: FilePath): FilePath {
  for (let at = parentFolder(file); ; at = parentFolder(at)) {
    const root = fileIn(at, 'lib.rs');
    if (tree.has(root)) return root;
    if (at === '') return file;
  }
}

/** The file of a module that another declares: beside `lib.rs`, `main.rs` and `mod.rs`, else in a folder of the file's name. */
function moduleFile({ tree }: Place, from: FilePath, name: string): FilePath | null {
  const folder = parentFolder(from);
  const base = baseName(from);
  const at = base === 'lib.rs' || base === 'main.rs' || base === 'mod.rs' ? folder : (fileIn(folder, base.slice(0, -3)) as string as FolderPath);
  return [fileIn(at, `${name}.rs`), fileIn(at, `${name}/mod.rs`)].find((f) => tree.has(f)) ?? null;
}

function moduleDoc(place: Place, file: FilePath): string | null {
  const text = place.reading.head(file, 60);
  return text === null ? null : parse(place, file, text).doc;
}

function parse({ reading }: Place, file: FilePath, text: string): RustModule {
  return reading.memo(`rs ${text.length} ${file}`, () => parseRustModule(text));
}

function moduleLines(place: Place, files: readonly FilePath[]): Surface['modules'] {
  const { tree, reading } = place;
  return largest(tree, files.filter((f) => f.endsWith('.rs') && isSourceFile(f) && !/^(mod|main)\.rs$/.test(baseName(f)))).flatMap((file) => {
    const text = reading.read(file);
    if (text === null) return [];
    const module = parse(place, file, text);
    const names = module.items.filter((i) => !i.deprecated).map((i) => ({ name: nameOf(i.name, i.kind), doc: i.doc }));
    return names.length === 0 && module.doc === null ? [] : [{ file, names, doc: module.doc }];
  });
}
