import { firstSentence } from './apiItem.ts';
import { linesAbove } from './linesAbove.ts';

/** What one Go file adds to its package. */
interface GoFile {
  readonly package: string;
  /** First sentence of the package comment, where this file has it. */
  readonly doc: string | null;
  readonly items: readonly { readonly name: string; readonly kind: string; readonly doc: string | null; readonly deprecated: boolean }[];
}

/** Null for what is not Go, and for generated files. */
export function parseGoFile(text: string): GoFile | null {
  const source = text.replaceAll('\r\n', '\n');
  const clause = /^package\s+(\w+)/m.exec(source);
  if (clause?.[1] === undefined || /^\/\/ Code generated .* DO NOT EDIT\.$/m.test(source)) return null;
  const items: GoFile['items'][number][] = [];
  const add = (name: string, kind: string, at: number) => {
    const doc = commentBefore(source, at);
    if (!items.some((i) => i.name === name)) items.push({ name, kind, doc: firstSentence(withoutName(doc, name)), deprecated: /^Deprecated:/m.test(doc) });
  };
  const code = source.replace(/`[^`]*`|\/\*[\s\S]*?\*\//g, (match) => match.replace(/[^\n]/g, ' '));
  for (const m of code.matchAll(/^func\s+([A-Z]\w*)\s*[[(]/gm)) add(m[1] ?? '', 'function', m.index);
  for (const m of code.matchAll(/^type\s+([A-Z]\w*)(?:\[[^\]]*\])?\s*=?\s*(\w+)?/gm)) add(m[1] ?? '', typeKind(m[2]), m.index);
  for (const group of code.matchAll(/^type\s*\(\n([\s\S]*?)^\)/gm)) {
    const from = group.index + group[0].indexOf('\n') + 1;
    for (const m of (group[1] ?? '').matchAll(/^\t([A-Z]\w*)(?:\[[^\]]*\])?\s*=?\s*(\w+)?/gm)) add(m[1] ?? '', typeKind(m[2]), from + m.index);
  }
  for (const m of code.matchAll(/^(var|const)\s+([A-Z]\w*)/gm)) add(m[2] ?? '', VALUES[m[1] ?? ''] ?? 'constant', m.index);
  for (const group of code.matchAll(/^(var|const)\s*\(\n([\s\S]*?)^\)/gm)) {
    const from = group.index + group[0].indexOf('\n') + 1;
    for (const m of (group[2] ?? '').matchAll(/^\t([A-Z]\w*)/gm)) add(m[1] ?? '', VALUES[group[1] ?? ''] ?? 'constant', from + m.index);
  }
  const doc = commentBefore(source, clause.index);
  return { package: clause[1], doc: /^(Package|Command)\b/.test(doc) ? firstSentence(doc, 200) : null, items };
}

const VALUES: Readonly<Record<string, string>> = { var: 'variable', const: 'constant' };

function typeKind(word: string | undefined): string {
  return word === 'struct' || word === 'interface' ? word : word === 'func' ? 'function type' : 'type';
}

/** `Name does x` reads better as `does x` beside the name. */
function withoutName(doc: string, name: string): string {
  const rest = doc.replace(new RegExp(`^${name}\\s+(?:is|are)\\s+`), '').replace(new RegExp(`^${name}\\s+`), '');
  return rest === '' ? doc : rest;
}

function commentBefore(source: string, at: number): string {
  const doc: string[] = [];
  for (const above of linesAbove(source, at)) {
    const line = above.trim();
    if (!line.startsWith('//')) break;
    if (!/^\/\/(go:|nolint|\s*\+build)/.test(line)) doc.unshift(line.replace(/^\/\/ ?/, ''));
  }
  if (doc.length > 0) return doc.join('\n');
  const end = source.slice(0, at).trimEnd();
  return end.endsWith('*/') ? end.slice(end.lastIndexOf('/*') + 2, -2).trim() : '';
}
