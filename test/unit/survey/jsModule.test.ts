import { describe, expect, it } from 'vitest';
import { parseJsModule } from '../../../src/core/survey/api/jsModule.ts';
import { jsSource } from '../../../src/core/survey/api/jsSource.ts';

describe('what a TypeScript module exports', () => {
  it('is told with kind, first sentence and origin', () => {
    const { exports, stars } = parseJsModule(`
import type { Options } from './options.ts';
import parse from './parse.ts';

/** Adds two numbers. They may be negative. */
export function add(a: number, b: number): number { return a + b; }
export async function* each() {}
export const later = async (x: string): Promise<void> => {};
export const LIMIT = 5, other = 6;
export const { a, b: c } = make();
export abstract class Shape {}
export interface Point { x: number }
export type Name = string;
export enum Colour { Red }
/** Not for others. @internal */
export function hidden() {}
/** @deprecated use add */
export function plus() {}
export function _private() {}
export { parse, type Options, inner as outer };
export { x, y as z } from './xy.ts';
export * from './all.ts';
export * as tools from './tools.ts';
function inner() {}
`);
    const told = exports.map((e) => [e.name, e.kind, e.doc, e.from?.module ?? null].filter((v) => v !== null).join(' | '));
    expect(told).toEqual([
      'add | function | Adds two numbers', 'each | function', 'later | function', 'LIMIT | constant', 'a | constant', 'c | constant',
      'Shape | class', 'Point | interface', 'Name | type', 'Colour | enum', 'plus | function',
      'parse | ./parse.ts', 'Options | ./options.ts', 'outer | function', 'x | ./xy.ts', 'z | ./xy.ts', 'tools | namespace | ./tools.ts',
    ]);
    expect(exports.filter((e) => e.typeOnly).map((e) => e.name)).toEqual(['Point', 'Name', 'Options']);
    expect(exports.find((e) => e.name === 'plus')?.deprecated).toBe(true);
    expect(stars).toEqual(['./all.ts']);
  });

  it('is not taken from comments, strings, templates or regular expressions', () => {
    const { exports } = parseJsModule([
      '// export const a = 1', '/*', 'export const b = 1', '*/', 'const t = `', 'export const c = 1', '${`', 'export const d = 1', '`}', 'export const e = 1', '`;',
      'const r = /["\'`]/;', 'const q = x / y;', 'export const real = `${"}"}`;', 'const s = "export const f = 1";', 'declare module "m" {', '  export const g: number;', '}',
    ].join('\n'));
    expect(exports.map((e) => e.name)).toEqual(['real']);
  });

  it('is the default under its own name', () => {
    expect(parseJsModule('export default class Server {}').exports).toMatchObject([{ name: 'Server', kind: 'class' }]);
    expect(parseJsModule('const app = make();\nexport default app;').exports).toMatchObject([{ name: 'app', kind: 'constant' }]);
    expect(parseJsModule('export default class extends Base {}').exports).toMatchObject([{ name: 'default', kind: 'class' }]);
    expect(parseJsModule('export default { a: 1 };').exports).toMatchObject([{ name: 'default' }]);
    expect(parseJsModule('import { run } from "x";\nexport default run').exports).toMatchObject([{ name: 'run', from: { module: 'x' } }]);
  });

  it('is what a call makes, not the function that is called', () => {
    expect(parseJsModule('import { declare } from "x";\nexport default declare((api) => {});').exports).toMatchObject([{ name: 'default', from: null }]);
  });

  it('is a function where one is written in brackets to give it a type', () => {
    expect(parseJsModule('export const make = ((...args) => args) as Make;\nexport const sum = (1 + 2);').exports.map((e) => e.kind)).toEqual(['function', 'constant']);
  });
});

describe('what a CommonJS module exports', () => {
  it('is told for properties, objects and whole modules', () => {
    const names = (text: string) => parseJsModule(text).exports.map((e) => [e.name, e.kind, e.from && `${e.from.module}#${e.from.name}`]);
    expect(names('const p = require("body-parser");\nexports.json = p.json;\nexports.Router = require("./router");\nexports.run = function () {};')).toEqual([['json', null, 'body-parser#json'], ['Router', null, './router#module.exports'], ['run', 'function', null]]);
    expect(names('function a() {}\nmodule.exports = { a, b: c, d() {}, "e": 1 };\nconst c = 1;')).toEqual([['a', 'function', null], ['b', 'constant', null], ['d', null, null], ['e', null, null]]);
    expect(names("'use strict';\nexports = module.exports = createApplication;\nfunction createApplication() {}\nexports.Route = Route;")).toEqual([['createApplication', 'function', null], ['Route', null, null]]);
    expect(names('var app = exports = module.exports = {};')).toEqual([['app', null, null]]);
  });

  it('is another module where it only passes one on', () => {
    expect(parseJsModule("'use strict'\n\nmodule.exports = require('./lib/express');\n").aliasOf).toBe('./lib/express');
  });
});

describe('the head of a module', () => {
  it('says what the file is for, unless it is a licence or speaks of what follows', () => {
    expect(parseJsModule('/** Reads lines. More. */\n\nimport x from "y";').doc).toBe('Reads lines');
    expect(parseJsModule('/**\n * Copyright 2020 Someone\n */\n\nimport x from "y";').doc).toBeNull();
    expect(parseJsModule('/** Adds. */\nexport function add() {}').doc).toBeNull();
  });
});

describe('source with everything blank that is not code', () => {
  it.each(['const a = "x";', '/* a\nb */ c // d\ne', 'x = `a${b}c${`d${e}`}f`', 'r = /[/"]\\//g', '#!/usr/bin/env node\nx', 'return /x/', "const quote = '", 'a = b / c / d'])('keeps every position of %j', (text) => {
    const { code } = jsSource(text);
    expect(code).toHaveLength(text.length);
    expect(code.split('\n').map((l) => l.length)).toEqual(text.split('\n').map((l) => l.length));
  });
});
