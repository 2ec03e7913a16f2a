import type { FilePath, FolderPath } from '../../ids.ts';
import { baseName, fileIn, parentFolder } from '../../paths.ts';
import { folderKind, isSourceFile } from '../folderKinds.ts';
import { parseTomlManifest } from '../manifests/tomlManifest.ts';
import type { ApiItem } from './apiItem.ts';
import { nameOf, within } from './jsSurface.ts';
import { parsePythonModule, type PythonModule } from './pythonModule.ts';
import { EMPTY_SURFACE, largest, type Place, type Surface } from './surface.ts';

const DEEPEST = 3;

/** The surface of a Python project, package or folder of modules; null where there is none. */
export function pythonSurface(place: Place): Surface | null {
  const { folder, tree, reading } = place;
  const own = fileIn(folder, '__init__.py');
  const projectText = reading.read(fileIn(folder, 'pyproject.toml'));
  const project = projectText === null ? null : parseTomlManifest(projectText);
  const programs = [...(project?.keys('project', 'scripts') ?? []).map((name) => [name, project?.text('project', 'scripts', name) ?? ''] as const), ...(project?.keys('tool', 'poetry', 'scripts') ?? []).map((name) => [name, project?.text('tool', 'poetry', 'scripts', name) ?? ''] as const)].flatMap(([name, target]) => {
    const file = moduleFile(place, folder, target.split(':')[0] ?? '');
    return file === null ? [] : [{ name, file }];
  });
  const isProject = project !== null || tree.has(fileIn(folder, 'setup.py')) || tree.has(fileIn(folder, 'setup.cfg'));
  const package_ = tree.has(own) ? folder : isProject ? packageOf(place, project?.text('project', 'name') ?? project?.text('tool', 'poetry', 'name') ?? null) : null;
  if (package_ !== null) {
    const init = fileIn(package_, '__init__.py');
    const text = reading.read(init);
    const module = text === null ? null : parse(place, init, text);
    const items = module === null ? [] : publicItems(place, package_, init, module);
    // A package that gathers nothing from its own modules leaves those to be told one by one.
    const beside = items.every((i) => i.external !== null) ? moduleLines(place, tree.filesIn(package_)) : [];
    if (items.length > 0) return { ...EMPTY_SURFACE, of: `Python package \`${dotted(place, package_)}\`, from \`${within(folder, init)}\``, items, modules: beside, programs, doc: module?.doc ?? null, entry: init };
    const modules = moduleLines(place, tree.filesIn(package_));
    return modules.length === 0 && programs.length === 0 ? null : { ...EMPTY_SURFACE, of: `Modules of the Python package \`${dotted(place, package_)}\``, modules, programs, doc: module?.doc ?? null, entry: init };
  }
  const modules = moduleLines(place, tree.filesIn(folder));
  return modules.length === 0 && programs.length === 0 ? null : { ...EMPTY_SURFACE, of: 'Python modules', modules, programs };
}

/** The package of a project: the one of its name, else the only one, in `src` or beside the manifest. */
function packageOf({ folder, tree }: Place, name: string | null): FolderPath | null {
  const roots = [fileIn(folder, 'src') as string as FolderPath, fileIn(folder, 'lib') as string as FolderPath, folder];
  const packages = roots.flatMap((root) => tree.foldersIn(root)).filter((f) => tree.has(fileIn(f, '__init__.py')) && folderKind(f) === 'source');
  const plain = (n: string) => n.toLowerCase().replace(/[-_.]/g, '');
  return packages.find((f) => name !== null && plain(baseName(f)) === plain(name)) ?? (packages.length === 1 ? (packages[0] ?? null) : null);
}

/** `flask.json` for `src/flask/json`: as many folders up as are packages. */
function dotted({ tree }: Place, folder: FolderPath): string {
  const names = [baseName(folder)];
  for (let at = parentFolder(folder); at !== '' && tree.has(fileIn(at, '__init__.py')); at = parentFolder(at)) names.unshift(baseName(at));
  return names.join('.');
}

function publicItems(place: Place, folder: FolderPath, init: FilePath, module: PythonModule): ApiItem[] {
  const passedOn = module.imports.filter((i) => i.passedOn);
  // Without `__all__` and without `X as X`, what the package imports from its own modules is what it passes on.
  const own = module.imports.filter((i) => /^\.(?!\.)/.test(i.module) || i.module === dotted(place, folder) || i.module.startsWith(`${dotted(place, folder)}.`));
  const names = module.all ?? [...new Set([...(passedOn.length > 0 ? passedOn : own).map((i) => i.name), ...module.definitions.filter((d) => (d.kind === 'class' || d.kind === 'function')).map((d) => d.name)])];
  return names.filter((name) => !name.startsWith('_') && name !== 'annotations').map((name) => definedAt(place, folder, init, module, name, 0));
}

function definedAt(place: Place, folder: FolderPath, file: FilePath, module: PythonModule, name: string, depth: number): ApiItem {
  const here = module.definitions.find((d) => d.name === name);
  if (here) return { name, kind: here.kind, file, doc: here.doc, typeOnly: false, deprecated: here.deprecated, external: null };
  const unknown: ApiItem = { name, kind: null, file, doc: null, typeOnly: false, deprecated: false, external: null };
  const imported = module.imports.find((i) => i.name === name);
  if (!imported || depth > DEEPEST) return unknown;
  const base = resolveFrom(place, parentFolder(file), imported.module);
  if (base === null) return imported.module.startsWith('.') ? unknown : { ...unknown, external: imported.module };
  const submodule = fileAt(place, `${base}/${imported.original}`);
  const from = fileAt(place, base);
  if (from !== null && from !== file) {
    const text = place.reading.read(from);
    const there = text === null ? null : parse(place, from, text);
    if (there !== null && (there.definitions.some((d) => d.name === imported.original) || there.imports.some((i) => i.name === imported.original))) return { ...definedAt(place, folder, from, there, imported.original, depth + 1), name };
  }
  if (submodule !== null) {
    const text = place.reading.head(submodule, 60);
    return { ...unknown, kind: 'module', file: submodule, doc: text === null ? null : parse(place, submodule, text).doc };
  }
  return from === null ? unknown : { ...unknown, file: from };
}

/** The path without extension that a module name leads to; null for modules of others. */
function resolveFrom(place: Place, folder: FolderPath, module: string): string | null {
  const dots = /^\.*/.exec(module)?.[0].length ?? 0;
  const rest = module.slice(dots).replaceAll('.', '/');
  if (dots > 0) {
    const parts = folder.split('/');
    const up = parts.slice(0, parts.length - (dots - 1)).join('/');
    return rest === '' ? up : `${up}/${rest}`;
  }
  // An absolute import of the package itself.
  const top = dotted(place, folder).split('.')[0] ?? '';
  if (module.split('.')[0] !== top) return null;
  const depth = dotted(place, folder).split('.').length;
  const above = folder.split('/').slice(0, -depth).join('/');
  return above === '' ? rest : `${above}/${rest}`;
}

function fileAt({ tree }: Place, path: string): FilePath | null {
  return ([`${path}.py`, `${path}/__init__.py`, `${path}.pyi`] as FilePath[]).find((f) => tree.has(f)) ?? null;
}

function moduleFile(place: Place, folder: FolderPath, module: string): FilePath | null {
  const path = module.replaceAll('.', '/');
  return path === '' ? null : fileAt(place, fileIn(folder, `src/${path}`)) ?? fileAt(place, fileIn(folder, path));
}

function parse({ reading }: Place, file: FilePath, text: string): PythonModule {
  return reading.memo(`py ${text.length} ${file}`, () => parsePythonModule(text));
}

function moduleLines(place: Place, files: readonly FilePath[]): Surface['modules'] {
  const { tree, reading } = place;
  return largest(tree, files.filter((f) => f.endsWith('.py') && isSourceFile(f) && !/^_|^setup\.py$/.test(baseName(f)))).flatMap((file) => {
    const text = reading.read(file);
    if (text === null) return [];
    const module = parse(place, file, text);
    const defined = module.definitions.filter((d) => (d.kind === 'class' || d.kind === 'function') && !d.deprecated);
    const names = (module.all ?? [...module.imports.filter((i) => i.passedOn), ...defined].map((d) => d.name)).filter((n) => !n.startsWith('_')).map((n) => ({ name: nameOf(n, defined.find((d) => d.name === n)?.kind ?? null), doc: defined.find((d) => d.name === n)?.doc ?? null }));
    return names.length === 0 && module.doc === null ? [] : [{ file, names, doc: module.doc }];
  });
}
