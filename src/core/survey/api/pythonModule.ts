import { firstSentence } from './apiItem.ts';
import { linesAbove } from './linesAbove.ts';

/** What one Python file gives to those who import it. */
export interface PythonModule {
  /** First sentence of the module's docstring. */
  readonly doc: string | null;
  /** `__all__`, where it is a plain list; null where it is not declared. */
  readonly all: readonly string[] | null;
  /** Public functions and classes that are defined here, in order. */
  readonly definitions: readonly { readonly name: string; readonly kind: 'function' | 'class' | 'constant' | null; readonly doc: string | null; readonly deprecated: boolean }[];
  /** `from .app import Flask as Flask`. `module` as written. */
  readonly imports: readonly { readonly name: string; readonly module: string; readonly original: string; /** `X as X`, the way to say that it is passed on. */ readonly passedOn: boolean }[];
}

export function parsePythonModule(text: string): PythonModule {
  const source = text.replaceAll('\r\n', '\n').replace(/^\ufeff/, '');
  const code = withoutStrings(source);
  const definitions: PythonModule['definitions'][number][] = [];
  for (const m of code.matchAll(/^(?:async\s+)?(def|class)\s+([A-Za-z_]\w*)/gm)) {
    const name = m[2] ?? '';
    if (name.startsWith('_') || definitions.some((d) => d.name === name)) continue;
    const above: string[] = [];
    for (const line of linesAbove(code, m.index)) if (!line.startsWith('@') || above.push(line) > 6) break;
    // An overload says nothing that the definition after it does not say.
    if (above.some((line) => /^@([\w.]+\.)?overload\b/.test(line))) continue;
    const doc = docstringAfter(source, code, m.index);
    definitions.push({ name, kind: m[1] === 'def' ? 'function' : 'class', doc: doc === null ? null : firstSentence(doc), deprecated: /^\.\. deprecated::/m.test(doc ?? '') && !/^\.\. deprecated::.*\n(?:.*\n)*?.*parameter/m.test(doc ?? '') || above.some((line) => /^@.*deprecated/.test(line)) });
  }
  for (const m of code.matchAll(/^([A-Z][A-Z0-9_]{2,}|[a-z]\w*)\s*(?::[^=\n]+)?=(?!=)/gm)) {
    const name = m[1] ?? '';
    if (!definitions.some((d) => d.name === name)) definitions.push({ name, kind: /^[A-Z]/.test(name) ? 'constant' : null, doc: null, deprecated: false });
  }
  const head = /^(?:[ \t]*(?:#[^\n]*)?\n)*[ \t]*[rRuU]?("""|''')/.exec(source);
  const moduleDoc = head?.[1] === undefined ? null : source.slice(head[0].length, source.indexOf(head[1], head[0].length));
  return { doc: moduleDoc === null ? null : docOfModule(moduleDoc), all: allOf(source, code), definitions, imports: importsOf(code) };
}

/** A title with a line below it, as many modules begin, says less than the paragraph after it. */
function docOfModule(doc: string): string | null {
  const body = doc.replace(/^\s*[^\n]+\n\s*[=~\-*^]{3,}[ \t]*\n/, '').trim();
  return /copyright|licen[sc]ed? (under|:)/i.test(body.split('\n\n')[0] ?? '') ? null : firstSentence(body, 160);
}

/** Strings and comments made blank, position for position; triple quotes too, so that no line inside counts as code. */
function withoutStrings(source: string): string {
  return source.replace(/("""|''')(?:\\[\s\S]|(?!\1)[\s\S])*(?:\1|$)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|#[^\n]*/g, (match) => match.replace(/[^\n]/g, ' '));
}

function docstringAfter(source: string, code: string, at: number): string | null {
  // The signature ends with the colon at bracket depth zero.
  let depth = 0;
  let i = at;
  for (; i < code.length; i++) {
    const c = code.charAt(i);
    if (/[([{]/.test(c)) depth++;
    if (/[)\]}]/.test(c)) depth--;
    if (c === ':' && depth === 0) break;
  }
  const body = /^:[ \t]*(?:#[^\n]*)?\n(?:[ \t]*\n)*[ \t]+[rRuU]?("""|'''|")/.exec(source.slice(i, i + 400));
  if (body?.[1] === undefined) return null;
  const start = i + body[0].length;
  const end = source.indexOf(body[1], start);
  return end < 0 ? null : source.slice(start, end);
}

function allOf(source: string, code: string): readonly string[] | null {
  const names: string[] = [];
  let declared = false;
  for (const m of code.matchAll(/^__all__\s*(?::[^=\n]+)?(\+?=|\.extend\()\s*([[(])/gm)) {
    declared = true;
    const open = m.index + m[0].length;
    const close = source.slice(open).search(/[\])]/);
    for (const name of source.slice(open, close < 0 ? source.length : open + close).matchAll(/["']([\w.]+)["']/g)) names.push(name[1] ?? '');
  }
  return declared && names.length > 0 ? names : null;
}

function importsOf(code: string): PythonModule['imports'] {
  const found: PythonModule['imports'][number][] = [];
  for (const m of code.matchAll(/^from\s+(\.*[\w.]*)\s+import\s+(?:\(([^)]*)\)|([^\n]+))/gm)) {
    for (const part of (m[2] ?? m[3] ?? '').split(',')) {
      const one = /^\s*(\w+)(?:\s+as\s+(\w+))?\s*$/.exec(part);
      if (one?.[1] === undefined) continue;
      found.push({ name: one[2] ?? one[1], module: m[1] ?? '', original: one[1], passedOn: one[1] === one[2] });
    }
  }
  return found;
}
