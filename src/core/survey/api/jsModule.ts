import { firstSentence } from './apiItem.ts';
import { commentText, docBefore, jsSource, type JsSource } from './jsSource.ts';

/** What one JavaScript or TypeScript file gives to those who import it. */
export interface JsModule {
  /** What the comment at the head of the file says it is for; null where there is none, or it is a licence. */
  readonly doc: string | null;
  readonly exports: readonly JsExport[];
  /** `export * from './x'`, or from a package. */
  readonly stars: readonly string[];
  /** `module.exports = require('./x')`: the file is another name of that one. */
  readonly aliasOf: string | null;
}

export interface JsExport {
  readonly name: string;
  readonly kind: string | null;
  readonly doc: string | null;
  readonly typeOnly: boolean;
  readonly deprecated: boolean;
  /** Where it is passed on from: module as written, and its name there (`*` for all of it). */
  readonly from: { readonly module: string; readonly name: string } | null;
}

interface Declared {
  readonly kind: string | null;
  readonly at: number;
}

export function parseJsModule(text: string): JsModule {
  const source = jsSource(text);
  const { code } = source;
  const declared = declarations(source);
  const imported = imports(code);
  const found = new Map<string, { readonly one: JsExport; readonly at: number }>();
  const add: Adding['add'] = (name, at, rest, docAt) => {
    const doc = docAt === null ? null : docBefore(source, docAt);
    // `@internal` and names with an underscore are not for others, whatever the keyword says.
    if (name === '' || name.startsWith('_') || /@(internal|private|hidden)\b/.test(doc ?? '') || found.has(name)) return;
    found.set(name, { at, one: { name, kind: null, typeOnly: false, from: null, ...rest, doc: doc === null ? null : firstSentence(doc), deprecated: /@deprecated\b/.test(doc ?? '') } });
  };
  const addLocal: Adding['addLocal'] = (name, at, local, typeOnly) => {
    const here = declared.get(local);
    const there = imported.get(local);
    if (!here && there) add(name, at, { from: there, typeOnly }, null);
    else add(name, at, { kind: here?.kind ?? null, typeOnly: typeOnly || isType(here?.kind) }, here?.at ?? null);
  };
  const adding: Adding = { add, addLocal, isKnown: (name) => declared.has(name) || imported.has(name), imported };
  ecmaExports(code, adding);
  const stars = [...code.matchAll(/^export\s+(?:type\s+)?\*\s*from\s*(["'])([^"'\n]+)\1/gm)].map((m) => m[2] ?? '');
  const aliasOf = found.size === 0 && stars.length === 0 ? commonJs(code, adding) : null;
  return { doc: headDoc(source), exports: [...found.values()].sort((a, b) => a.at - b.at).map(({ one }) => one), stars, aliasOf };
}

interface Adding {
  /** `at`: where the export stands, for the order; `docAt`: where its documentation would end, null where none counts. */
  readonly add: (name: string, at: number, rest: Partial<JsExport>, docAt: number | null) => void;
  readonly addLocal: (name: string, at: number, local: string, typeOnly: boolean) => void;
  readonly isKnown: (name: string) => boolean;
  readonly imported: ReadonlyMap<string, { readonly module: string; readonly name: string }>;
}

function ecmaExports(code: string, { add, addLocal, isKnown }: Adding): void {
  for (const m of code.matchAll(/^export\s+(default\s+)?(?:declare\s+)?(?:(?:async\s+)?(function)\b\s*\*?|(?:abstract\s+)?(class)\b|(const\s+enum|enum|interface|namespace|module)\b)\s*(?!extends\b)([\w$]*)/gm)) {
    const kind = (m[2] ?? m[3] ?? m[4] ?? '').replace('const enum', 'enum').replace('module', 'namespace');
    add(m[5] !== undefined && m[5] !== '' ? m[5] : m[1] === undefined ? '' : 'default', m.index, { kind, typeOnly: kind === 'interface' }, m.index);
  }
  for (const m of code.matchAll(/^export\s+(?:declare\s+)?type\s+([\w$]+)\s*(?:<|=)/gm)) add(m[1] ?? '', m.index, { kind: 'type', typeOnly: true }, m.index);
  for (const m of code.matchAll(/^export\s+(?:declare\s+)?(?:const|let|var)\s+(?!enum\b)(\{[^}]*\}|\[[^\]]*\]|[\w$]+)/gm)) {
    const names = m[1] ?? '';
    for (const name of /^[{[]/.test(names) ? bindingNames(names) : [names]) add(name, m.index, { kind: kindOfValue(code, m.index + m[0].length) }, m.index);
  }
  for (const m of code.matchAll(/^export\s+(type\s+)?\{([^}]*)\}(?:\s*from\s*(["'])([^"'\n]+)\3)?/gm)) {
    for (const { name, local, typeOnly } of specifiers(m[2] ?? '')) {
      const onlyType = typeOnly || m[1] !== undefined;
      const exportedName = name === 'default' ? local : name;
      if (m[4] !== undefined) add(exportedName, m.index, { from: { module: m[4], name: local }, typeOnly: onlyType }, null);
      else addLocal(exportedName, m.index, local, onlyType);
    }
  }
  for (const m of code.matchAll(/^export\s*\*\s*as\s+([\w$]+)\s+from\s*(["'])([^"'\n]+)\2/gm)) add(m[1] ?? '', m.index, { kind: 'namespace', from: { module: m[3] ?? '', name: '*' } }, m.index);
  for (const m of code.matchAll(/^export\s+(?:default|=)\s+(?!(?:async\s+)?function\b|(?:abstract\s+)?class\b|interface\b)([\w$]+)?/gm)) {
    const local = m[1] ?? '';
    // `export default declare(…)` gives what the call makes, not the function that is called.
    const alone = /^[ \t]*(?:;|\n|$|as\b|satisfies\b)/.test(code.slice(m.index + m[0].length, m.index + m[0].length + 40));
    if (alone && isKnown(local)) addLocal(local, m.index, local, false);
    else add('default', m.index, { kind: kindOfValue(`= ${code.slice(m.index + m[0].length - local.length)}`, 0) }, m.index);
  }
}

/** `exports.a =`, `module.exports = { a, b: c }`, `module.exports = name`. Gives the module that the file only passes on. */
function commonJs(code: string, { add, addLocal, imported }: Adding): string | null {
  let alias: string | null = null;
  for (const m of code.matchAll(/^(?:(?:var|let|const)\s+([\w$]+)\s*=\s*)?(?:exports\s*=\s*)?module\.exports\s*=\s*(?:exports\s*=\s*)?(?:(\{)|require\(\s*["']([^"'\n]+)["']\s*\)\s*(?:;|$)|(?:new\s+)?(async\s+function|function|class)?\s*([\w$]*))/gm)) {
    const [variable, open, required, keyword, local] = [m[1], m[2], m[3], m[4], m[5]];
    if (open !== undefined) {
      const members = objectMembers(code, m.index + m[0].length - 1);
      for (const member of members) addLocal(member.name, m.index, member.local, false);
      if (members.length === 0 && variable !== undefined) add(variable, m.index, {}, m.index);
    } else if (required !== undefined) alias = required;
    else if (keyword !== undefined) add(local === undefined || local === '' ? 'module.exports' : local, m.index, { kind: keyword.replace('async ', '') }, m.index);
    else if (local !== undefined && local !== '' && local !== 'require') addLocal(local, m.index, local, false);
  }
  for (const m of code.matchAll(/^(?:module\.)?exports\.([A-Za-z$][\w$]*)\s*=\s*(?!exports\.|module\.|void\b)(?:require\(\s*["'](\.[^"'\n]+)["']\s*\)\s*(?:;|$)|(?:async\s+)?(function|class)\b|([\w$]+)(?:\.([\w$]+))?\s*(?:;|$)|)/gm)) {
    const [name, module, keyword, local, member] = [m[1] ?? '', m[2], m[3], m[4], m[5]];
    const from = local === undefined ? undefined : imported.get(local);
    if (module !== undefined) add(name, m.index, { from: { module, name: 'module.exports' } }, null);
    else if (keyword !== undefined) add(name, m.index, { kind: keyword }, m.index);
    else if (member !== undefined) add(name, m.index, from === undefined ? {} : { from: { module: from.module, name: member } }, null);
    else if (local !== undefined && !/^\d/.test(local)) addLocal(name, m.index, local, false);
    // A comment above a row of assignments speaks of the row, so only what is written out here keeps its own.
    else if (kindOfValue(code.slice(m.index), 0) === 'function') add(name, m.index, { kind: 'function' }, m.index);
    else add(name, m.index, {}, null);
  }
  return alias;
}

function declarations({ code }: JsSource): Map<string, Declared> {
  const found = new Map<string, Declared>();
  for (const m of code.matchAll(/^(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:(?:async\s+)?(function)\s*\*?|(?:abstract\s+)?(class)|(interface|enum|const\s+enum|type|namespace))\s+([\w$]+)/gm)) {
    const kind = (m[1] ?? m[2] ?? m[3] ?? '').replace('const enum', 'enum');
    if (m[4] !== undefined && !found.has(m[4])) found.set(m[4], { kind, at: m.index });
  }
  for (const m of code.matchAll(/^(?:export\s+)?(?:declare\s+)?(const|let|var)\s+(?!enum\b)([\w$]+)/gm)) {
    const after = code.slice(m.index + m[0].length);
    // What is required is known by the module it comes from.
    if (m[2] === undefined || found.has(m[2]) || /^\s*=\s*require\(/.test(after)) continue;
    const kind = kindOfValue(code, m.index + m[0].length);
    found.set(m[2], { kind: kind === 'constant' && m[1] !== 'const' ? null : kind, at: m.index });
  }
  return found;
}

function imports(code: string): Map<string, { module: string; name: string }> {
  const found = new Map<string, { module: string; name: string }>();
  for (const m of code.matchAll(/^import\s+(?:type\s+)?(?:([\w$]+)\s*,?\s*)?(?:\*\s*as\s+([\w$]+)\s*)?(?:\{([^}]*)\}\s*)?from\s*(["'])([^"'\n]+)\4/gm)) {
    const module = m[5] ?? '';
    if (m[1] !== undefined) found.set(m[1], { module, name: 'default' });
    if (m[2] !== undefined) found.set(m[2], { module, name: '*' });
    for (const { name, local } of specifiers(m[3] ?? '')) found.set(name, { module, name: local });
  }
  for (const m of code.matchAll(/^(?:var|let|const)\s+(?:([\w$]+)|\{([^}]*)\})\s*=\s*require\(\s*["']([^"'\n]+)["']\s*\)(?:\.([\w$]+))?/gm)) {
    const module = m[3] ?? '';
    if (m[1] !== undefined) found.set(m[1], { module, name: m[4] ?? 'module.exports' });
    for (const name of bindingNames(`{${m[2] ?? ''}}`)) found.set(name, { module, name });
  }
  return found;
}

/** `a`, `a as b`, `type A`. `local` is the name on the inside. */
function specifiers(list: string): { name: string; local: string; typeOnly: boolean }[] {
  return list.split(',').flatMap((part) => {
    const m = /^\s*(type\s+(?!as\b))?([\w$]+|"[^"]*")(?:\s+as\s+([\w$]+|"[^"]*"))?\s*$/.exec(part);
    return m?.[2] === undefined ? [] : [{ name: m[3] ?? m[2], local: m[2], typeOnly: m[1] !== undefined }];
  });
}

/** Names that a destructuring pattern binds at its first level. */
function bindingNames(pattern: string): string[] {
  return pattern.slice(1, -1).split(',').flatMap((part) => /^\s*(?:\.\.\.)?(?:[\w$]+\s*:\s*)?([\w$]+)\s*(?:=.*)?$/s.exec(part)?.[1] ?? []);
}

/** Members of an object literal at its first level: `a`, `a: b`, `a() {}`. */
function objectMembers(code: string, open: number): { name: string; local: string }[] {
  const found: { name: string; local: string }[] = [];
  let depth = 0;
  let start = open + 1;
  for (let i = open; i < code.length; i++) {
    const c = code.charAt(i);
    if (/[{([]/.test(c)) depth++;
    if (/[})\]]/.test(c)) depth--;
    if ((c === ',' && depth === 1) || depth === 0) {
      const m = /^\s*(?:async\s+|get\s+)?["']?([\w$]+)["']?\s*(?:$|:\s*([\w$]+)\s*$|[:(])/.exec(code.slice(start, i));
      if (m?.[1] !== undefined) found.push({ name: m[1], local: m[2] ?? m[1] });
      start = i + 1;
    }
    if (depth === 0) break;
  }
  return found;
}

/** What `= …` after a name holds: a function where it is written as one, else a constant. */
function kindOfValue(code: string, at: number): string {
  const value = (/=(?![=>])\s*([\s\S]{0,400})/.exec(code.slice(at, at + 600))?.[1] ?? '').replace(/^\((?=(?:async\s*)?\()/, '');
  const annotated = code.slice(at, at + 400).split(/=(?!>)/)[0] ?? '';
  if (/^(?:async\s+)?function\b/.test(value) || /^(?:async\s*)?(?:\([^()]*(?:\([^()]*\)[^()]*)*\)|[\w$]+)\s*(?::[^=;{]+)?=>/.test(value) || /^<[^>]*>\s*\(/.test(value) || /^:\s*\([^)]*\)\s*=>?\s*$/.test(annotated)) return 'function';
  return /^class\b/.test(value) ? 'class' : 'constant';
}

function isType(kind: string | null | undefined): boolean {
  return kind === 'interface' || kind === 'type';
}

/** The comment at the head of a file where it speaks of the file: not a licence, not the documentation of what follows it. */
function headDoc({ code, comments }: JsSource): string | null {
  const first = comments.find((c) => c.text.startsWith('/*'));
  if (!first || code.slice(0, first.start).replace(/["']use (strict|client|server)["'];?/, '').trim() !== '') return null;
  const text = commentText(first.text);
  const marked = /@(?:fileoverview|file|module|packageDocumentation)\b[ \t]*/.test(text);
  const separate = /^[ \t]*\n[ \t]*\n/.test(code.slice(first.end)) || /^\s*(?:import\b|(?:var|let|const)\s+[\w${}, ]+\s*=\s*require\b|["']use strict)/.test(code.slice(first.end));
  if (!(marked || separate) || !first.text.startsWith('/**') || /copyright|licen[sc]e|@preserve|eslint|istanbul|@jest-environment/i.test(text)) return null;
  return firstSentence(text.replace(/@(?:fileoverview|file)\b[ \t]*/, ''), 160);
}
