import { firstSentence } from './apiItem.ts';
import { linesAbove } from './linesAbove.ts';

/** What one Rust file gives to those who use its module. */
export interface RustModule {
  /** First sentence of the `//!` lines at its head. */
  readonly doc: string | null;
  readonly items: readonly RustItem[];
  /** Modules declared in files of their own. */
  readonly modules: readonly { readonly name: string; readonly public: boolean; readonly doc: string | null }[];
  /** `pub use`: path segments as written, the name it gets here. */
  readonly uses: readonly { readonly path: readonly string[]; readonly name: string }[];
}

interface RustItem {
  readonly name: string;
  readonly kind: string;
  readonly doc: string | null;
  readonly deprecated: boolean;
}

export function parseRustModule(text: string): RustModule {
  const source = text.replaceAll('\r\n', '\n');
  const code = unwrapped(withoutComments(source));
  const items: RustItem[] = [];
  const modules: RustModule['modules'][number][] = [];
  const uses: RustModule['uses'][number][] = [];
  const add = (name: string, kind: string, at: number) => {
    const { doc, attributes } = before(source, at);
    if (HIDDEN.test(attributes) || items.some((i) => i.name === name && i.kind === kind)) return;
    const macro = /proc_macro(_derive|_attribute)?\s*(?:\(\s*(\w+))?/.exec(attributes);
    items.push({ name: macro?.[2] ?? name, kind: macro === null ? kind : macro[1] === '_derive' ? 'derive macro' : macro[1] === '_attribute' ? 'attribute macro' : 'macro', doc: firstSentence(doc), deprecated: /\bdeprecated\b/.test(attributes) });
  };
  for (const m of code.matchAll(/^pub\s+(?:(?:async|unsafe|const|extern(?:\s+"[^"]*")?)\s+)*(fn|struct|enum|trait|union|type|static|const)\s+(?:mut\s+)?(\w+)/gm)) {
    add(m[2] ?? '', KINDS[m[1] ?? ''] ?? m[1] ?? '', m.index);
  }
  for (const m of code.matchAll(/^macro_rules!\s+(\w+)/gm)) {
    if (/macro_export/.test(before(source, m.index).attributes)) add(m[1] ?? '', 'macro', m.index);
  }
  for (const m of code.matchAll(/^(?:(pub\s+)|pub\s*\([^)\n]*\)\s+)?mod\s+(\w+)\s*([;{])/gm)) {
    const { doc, attributes } = before(source, m.index);
    if (HIDDEN.test(attributes)) continue;
    if (m[3] === ';') modules.push({ name: m[2] ?? '', public: m[1] !== undefined, doc: firstSentence(doc) });
    else if (m[1] !== undefined) add(m[2] ?? '', 'module', m.index);
  }
  for (const m of code.matchAll(/^pub\s+use\s+([^;]+);/gm)) {
    if (!/doc\s*\(\s*hidden/.test(before(source, m.index).attributes)) uses.push(...useTree(m[1] ?? '', []));
  }
  for (const m of code.matchAll(/^pub\s+extern\s+crate\s+(\w+)(?:\s+as\s+(\w+))?\s*;/gm)) uses.push({ path: [m[1] ?? ''], name: m[2] ?? m[1] ?? '' });
  const head = /^(?:[ \t]*(?:\/\/(?![!/])[^\n]*|#!?\[[^\n]*)?\n)*((?:[ \t]*\/\/![^\n]*\n?)+)/.exec(source)?.[1] ?? /^\s*\/\*!([\s\S]*?)\*\//.exec(source)?.[1] ?? '';
  return { doc: firstSentence(head.replace(/^[ \t]*\/\/! ?/gm, '').replace(/^#+ .*\n/gm, '').replace(/^[=-]+\n/gm, ''), 200), items, modules, uses };
}

/** Not for users of the crate, or there only in builds that they do not make. */
const HIDDEN = /doc\s*\(\s*hidden|cfg\s*\(\s*(test|fuzzing|loom|docsrs)\b/;

const KINDS: Readonly<Record<string, string>> = { fn: 'function', const: 'constant', static: 'constant', type: 'type alias' };

/** Doc comment and attributes right above an item. */
function before(source: string, at: number): { doc: string; attributes: string } {
  const doc: string[] = [];
  const attributes: string[] = [];
  for (const above of linesAbove(source, at)) {
    const line = above.trim();
    if (line.startsWith('///')) doc.unshift(line.replace(/^\/\/\/ ?/, ''));
    else if (line.startsWith('#[') || (line.endsWith(']') && attributes.length === 0 && /^[\w"(),\s=.]+\)?\]$/.test(line))) attributes.unshift(line);
    // A documentation comment belongs to the next item, however many empty lines are between.
    else if (!line.startsWith('//') && (line !== '' || doc.length > 0)) break;
  }
  return { doc: doc.join('\n'), attributes: attributes.join('\n') };
}

/** Items inside a macro that only adds a condition (`cfg_net! { pub mod tcp; }`) brought to the start of their lines, position for position. */
function unwrapped(code: string): string {
  return code.replace(/^\w+!\s*\{\n([\s\S]*?)^\}/gm, (block) => block.replace(/^( {4}|\t)(?=(?:pub|mod|macro_rules!)\b)((?:pub|mod|macro_rules!)[^\n]*)/gm, (_, indent: string, line: string) => line + indent));
}

/** Comments and strings made blank, position for position. */
function withoutComments(source: string): string {
  return source.replace(/'(?:\\.|[^'\\\n])'|\/\/[^\n]*|\/\*[\s\S]*?\*\/|r(#*)"[\s\S]*?"\1|b?"(?:\\[\s\S]|[^"\\])*"/g, (match) => match.replace(/[^\n]/g, ' '));
}

/** `a::{b, c as d, self}` as the names that it brings, each with its path. */
function useTree(tree: string, prefix: readonly string[]): RustModule['uses'][number][] {
  const text = tree.trim();
  const open = text.indexOf('{');
  if (open >= 0) {
    const path = [...prefix, ...text.slice(0, open).split('::').map((s) => s.trim()).filter((s) => s !== '')];
    return splitTop(text.slice(open + 1, text.lastIndexOf('}'))).flatMap((part) => useTree(part, path));
  }
  const [path = '', as] = text.split(/\s+as\s+/);
  const segments = [...prefix, ...path.split('::').map((s) => s.trim()).filter((s) => s !== '')];
  const full = segments.at(-1) === 'self' ? segments.slice(0, -1) : segments;
  const name = as?.trim() ?? full.at(-1) ?? '';
  return name === '' || name.startsWith('_') ? [] : [{ path: full, name }];
}

function splitTop(list: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const c of list) {
    if (c === '{') depth++;
    if (c === '}') depth--;
    if (c === ',' && depth === 0) {
      parts.push(part);
      part = '';
    } else part += c;
  }
  return [...parts, part].filter((p) => p.trim() !== '');
}
