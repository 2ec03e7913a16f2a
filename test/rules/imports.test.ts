import { describe, expect, it } from 'vitest';
import { barrels, defaultExports, emptilyNamedFiles, longFiles, silencedChecks, uncheckedTypes } from './fileLaw.ts';
import { forbiddenImports, homelessFiles, importCycles } from './importLaw.ts';
import { readSourceTree } from './sourceTree.ts';

const source = readSourceTree('src');
const everything = { ...source, ...readSourceTree('test') };

/** Every file named by the bad examples exists in them or is only imported, so each example is complete. */
const badImports: readonly (readonly [what: string, file: string, text: string])[] = [
  ['core imports Node', 'src/core/a.ts', "import { readFile } from 'node:fs';"],
  ['core imports VS Code, though only a type', 'src/core/a.ts', "import type { Uri } from 'vscode';"],
  ['core imports a package that is no pure parser', 'src/core/a.ts', "import OpenAI from 'openai';"],
  ['core imports runtime', 'src/core/deep/a.ts', "import { run } from '../../runtime/run.ts';"],
  ['core imports by a call', 'src/core/a.ts', "const later = () => import('node:fs');"],
  ['core imports within a type', 'src/core/a.ts', "export type Uri = import('vscode').Uri;"],
  ['core passes on what lies outside', 'src/core/a.ts', "export { run } from '../runtime/run.ts';"],
  ['core imports by a name that is computed', 'src/core/a.ts', 'const load = (name: string) => import(name);'],
  ['protocol imports a value of core', 'src/protocol/a.ts', "import { decide } from '../core/decide.ts';"],
  ['protocol imports a value beside a type of core', 'src/protocol/a.ts', "import { type State, decide } from '../core/decide.ts';"],
  ['protocol imports runtime', 'src/protocol/a.ts', "import type { Run } from '../runtime/run.ts';"],
  ['runtime imports an adapter', 'src/runtime/a.ts', "import type { Git } from '../adapters/git.ts';"],
  ['runtime imports Node', 'src/runtime/a.ts', "import path from 'node:path';"],
  ['runtime imports a package', 'src/runtime/a.ts', "import { z } from 'zod';"],
  ['adapters import a value of a port', 'src/adapters/a.ts', "import { port } from '../runtime/ports/port.ts';"],
  ['adapters import runtime beside its ports', 'src/adapters/a.ts', "import type { Run } from '../runtime/run.ts';"],
  ['adapters import the editor', 'src/adapters/a.ts', "import type { View } from '../editor/view.ts';"],
  ['adapters import VS Code', 'src/adapters/a.ts', "import * as vscode from 'vscode';"],
  ['editor imports an adapter', 'src/editor/a.ts', "import { git } from '../adapters/git.ts';"],
  ['editor imports Node beside paths', 'src/editor/a.ts', "import { readFile } from 'node:fs';"],
  ['editor imports a package', 'src/editor/a.ts', "import { z } from 'zod';"],
  ['editor imports the file that wires everything', 'src/editor/a.ts', "import { activate } from '../extension.ts';"],
];

const goodImports: readonly (readonly [what: string, file: string, text: string])[] = [
  ['core imports core and a pure parser', 'src/core/a.ts', "import { b } from './b.ts'; import { z } from 'zod';"],
  ['protocol imports types of core', 'src/protocol/a.ts', "import type { State } from '../core/state.ts'; import { type Event } from '../core/event.ts';"],
  ['adapters import types of ports, Node and packages', 'src/adapters/a.ts', "import type { Git } from '../runtime/ports/git.ts'; import { readFile } from 'node:fs'; import OpenAI from 'openai/index';"],
  ['editor imports runtime, VS Code and paths', 'src/editor/a.ts', "import { run } from '../runtime/run.ts'; import * as vscode from 'vscode'; import path from 'node:path';"],
  ['extension.ts imports all', 'src/extension.ts', "import { git } from './adapters/git.ts'; import { view } from './editor/view.ts';"],
];

describe('imports', () => {
  it('follow the layers everywhere in src', () => expect(forbiddenImports(source)).toEqual([]));
  it('make no ring', () => expect(importCycles(source)).toEqual([]));
  it('have a layer for every file', () => expect(homelessFiles(source)).toEqual([]));

  it.for(badImports)('are found out when %s', ([, file, text]) => expect(forbiddenImports({ [file]: text })).toHaveLength(1));
  it.for(goodImports)('are let through when %s', ([, file, text]) => expect(forbiddenImports({ [file]: text })).toEqual([]));
  it('are found out when three files make a ring', () => {
    const ring = { 'src/core/a.ts': "import { b } from './b.ts';", 'src/core/b.ts': "import type { C } from './deep/c.ts';", 'src/core/deep/c.ts': "export { a } from '../a.ts';" };
    expect(importCycles(ring)).toEqual(['src/core/a.ts -> src/core/b.ts -> src/core/deep/c.ts -> src/core/a.ts']);
  });
  it('are found out when a file lies outside of all layers', () => expect(homelessFiles({ 'src/tools.ts': '', 'src/shared/a.ts': '' })).toEqual(['src/tools.ts', 'src/shared/a.ts']));
});

describe('a file', () => {
  it('has 500 lines at most', () => expect(longFiles(everything)).toEqual([]));
  it('has no default export', () => expect(defaultExports(source)).toEqual([]));
  it('is no barrel', () => expect(barrels(everything)).toEqual([]));
  it('has a name that tells what it holds', () => expect(emptilyNamedFiles(everything)).toEqual(['test/editor/index.ts']));
  it('has no unchecked type', () => expect(uncheckedTypes(everything)).toEqual([]));
  it('silences neither compiler nor linter', () => expect(silencedChecks(source)).toEqual([]));

  it('is found out when it has 501 lines', () => {
    expect(longFiles({ 'src/core/a.ts': 'a;\n'.repeat(501), 'src/core/b.ts': 'b;\n'.repeat(500) })).toEqual(['src/core/a.ts']);
  });
  it.for(['export default class {}', 'export default 1;', 'const a = 1; export { a as default };', 'export default function run() {}', 'export = 1;'])('is found out when it says %s', (text) => {
    expect(defaultExports({ 'src/core/a.ts': text, 'src/core/b.ts': 'export const b = 1;' })).toEqual(['src/core/a.ts']);
  });
  it.for(["export * from './b.ts';", "export * as b from './b.ts';", "export { b } from './b.ts';", "import type { B } from './b.ts'; export { b } from './b.ts';"])('is found out when all it says is %s', (text) => {
    expect(barrels({ 'src/core/a.ts': text, 'src/core/c.ts': "export { b } from './b.ts'; export const c = 1;" })).toEqual(['src/core/a.ts']);
  });
  it.for(['utils', 'helpers', 'manager', 'misc', 'common', 'types', 'index', 'util', 'gitUtils', 'sessionManager'])('is found out when its name is %s', (name) => {
    expect(emptilyNamedFiles({ [`src/core/${name}.ts`]: '', 'src/core/commonBase.ts': '' })).toEqual([`src/core/${name}.ts`]);
  });
  it.for(['let a: any;', 'const a = (b as any);', 'type A = Record<string, any>;', 'function a(b: any[]): void {}'])('is found out when it says %s', (text) => {
    expect(uncheckedTypes({ 'src/core/a.ts': text, 'src/core/b.ts': "// any\nconst any = 'any'; a.any;" })).toEqual(['src/core/a.ts']);
  });
  it.for(['// @ts-ignore\na;', 'a; // @ts-expect-error', '/* eslint-disable */', 'f({ /* eslint-disable-line */ });', 'const a = 1;\n// @ts-nocheck'])('is found out when it says %s', (text) => {
    expect(silencedChecks({ 'src/core/a.ts': text, 'src/core/b.ts': "const a = '@ts-ignore';" })).toEqual(['src/core/a.ts']);
  });
});
