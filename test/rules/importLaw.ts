import { importsOf, type Import, type SourceTree } from './sourceTree.ts';

interface Layer {
  /** Folders of `src` whose files may be imported. */
  readonly folders: readonly string[];
  /** Folders from which only types may be imported. */
  readonly types?: readonly string[];
  readonly packages: readonly string[] | 'all but vscode';
  readonly node: readonly string[] | 'all';
}

/** What the files of each folder of `src` may import. */
const law: Readonly<Record<string, Layer>> = {
  core: { folders: ['core'], packages: ['zod', 'smol-toml', 'yaml', 'picomatch', 'ignore'], node: [] },
  protocol: { folders: ['protocol'], types: ['core'], packages: ['zod'], node: [] },
  runtime: { folders: ['core', 'runtime'], packages: [], node: [] },
  adapters: { folders: ['core', 'adapters'], types: ['runtime/ports'], packages: 'all but vscode', node: 'all' },
  editor: { folders: ['core', 'runtime', 'protocol', 'editor'], packages: ['vscode'], node: ['node:path'] },
};

/** Imports that the law forbids, in words. */
export function forbiddenImports(tree: SourceTree): readonly string[] {
  return importsOf(tree).flatMap((found) => {
    const reason = whyForbidden(found);
    return reason === undefined ? [] : [`${found.from} imports ${found.specifier}: ${reason}`];
  });
}

/** Files that no layer of the law owns. */
export function homelessFiles(tree: SourceTree): readonly string[] {
  return Object.keys(tree).filter((file) => file !== 'src/extension.ts' && law[folderOf(file)] === undefined);
}

/** Rings of files that import each other, each ring once. Types count too: a ring of types is as hard to read. */
export function importCycles(tree: SourceTree): readonly string[] {
  const targets = new Map<string, string[]>();
  for (const { from, file } of importsOf(tree)) if (file !== undefined && file in tree) targets.set(from, [...(targets.get(from) ?? []), file]);
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): void => {
    const start = trail.indexOf(file);
    if (start !== -1) {
      cycles.push([...trail.slice(start), file].join(' -> '));
    } else if (!done.has(file)) {
      for (const target of targets.get(file) ?? []) visit(target, [...trail, file]);
      done.add(file);
    }
  };
  for (const file of Object.keys(tree)) visit(file, []);
  return cycles;
}

function whyForbidden({ from, specifier, file, typeOnly }: Import): string | undefined {
  if (from === 'src/extension.ts') return undefined;
  const layer = law[folderOf(from)];
  if (layer === undefined) return 'its folder has no layer';
  if (file !== undefined) {
    if (within(file, layer.folders)) return undefined;
    if (within(file, layer.types ?? [])) return typeOnly ? undefined : `only types may come from ${String(layer.types)}`;
    return `${folderOf(from)} may import ${[...layer.folders, ...(layer.types ?? [])].join(', ')}`;
  }
  if (specifier.startsWith('node:')) return layer.node === 'all' || layer.node.includes(specifier) ? undefined : `of Node ${folderOf(from)} may import ${layer.node.length === 0 ? 'nothing' : layer.node.join(', ')}`;
  const name = packageName(specifier);
  if (layer.packages === 'all but vscode' ? name !== 'vscode' : layer.packages.includes(name)) return undefined;
  return `of packages ${folderOf(from)} may import ${layer.packages.length === 0 ? 'none' : String(layer.packages)}`;
}

function within(file: string, folders: readonly string[]): boolean {
  return folders.some((folder) => file.startsWith(`src/${folder}/`));
}

function folderOf(file: string): string {
  return file.split('/')[1] ?? '';
}

function packageName(specifier: string): string {
  return specifier.split('/').slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
}
