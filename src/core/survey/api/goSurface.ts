import { baseName, fileIn } from '../../paths.ts';
import { isSourceFile } from '../folderKinds.ts';
import { parseGoFile } from './goFile.ts';
import { EMPTY_SURFACE, largest, type Place, type Surface } from './surface.ts';

/** The surface of the Go package in a folder; null where there is none. */
export function goSurface({ folder, tree, reading }: Place): Surface | null {
  const all = tree.filesIn(folder).filter((f) => f.endsWith('.go') && isSourceFile(f));
  const docs = all.filter((f) => baseName(f) === 'doc.go');
  const files = [...docs, ...largest(tree, all).filter((f) => !docs.includes(f))].flatMap((file) => {
    const text = reading.read(file);
    const parsed = text === null ? null : parseGoFile(text);
    return parsed === null ? [] : [{ file, parsed }];
  });
  const [first] = files;
  if (!first) return null;
  const doc = files.find((f) => f.parsed.doc !== null)?.parsed.doc ?? null;
  if (first.parsed.package === 'main') {
    const main = files.find((f) => baseName(f.file) === 'main.go')?.file ?? first.file;
    return { ...EMPTY_SURFACE, of: 'Go program', programs: [{ name: folder === '' ? moduleName(reading.read(fileIn(folder, 'go.mod'))) ?? 'main' : baseName(folder), file: main }], doc };
  }
  const items = files.flatMap(({ file, parsed }) => parsed.items.map((i) => ({ ...i, file, typeOnly: false, external: null }))).filter((i, at, list) => list.findIndex((other) => other.name === i.name) === at);
  return items.length === 0 ? null : { ...EMPTY_SURFACE, of: `Go package \`${first.parsed.package}\``, items, doc };
}

/** Last part of the module's path. */
function moduleName(goMod: string | null): string | null {
  return /^module\s+\S*?([^/\s]+?)(?:\/v\d+)?\s*$/m.exec(goMod ?? '')?.[1] ?? null;
}
