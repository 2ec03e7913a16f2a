import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { CASES } from '../cases.ts';
import type { CaseTest } from '../coverage.ts';
import { nodesOf, parse, readSourceTree, type SourceTree } from './sourceTree.ts';

const tests = readSourceTree('test');
const named = Object.entries(CASES).flatMap(([id, coverage]) => ('waitsFor' in coverage ? [] : coverage.map((test) => ({ id, ...test }))));

describe('the table of cases', () => {
  test('names tests that exist', () => {
    expect(named.filter((test) => !exists(tests, test))).toEqual([]);
  });

  test('leaves no case without a test or a reason', () => {
    expect(Object.entries(CASES).filter(([, coverage]) => ('waitsFor' in coverage ? coverage.waitsFor.trim() === '' : coverage.length === 0))).toEqual([]);
  });

  test('would notice a test that was renamed, moved or only spoken of', () => {
    const tree: SourceTree = { 'test/a.test.ts': 'it.skipIf(no)(\'does it\', () => {}); test.each([1])("does %s", () => {}); // it(\'did it\')\ndescribe(\'a group\', () => {});' };
    const found = (title: string, file = 'test/a.test.ts') => exists(tree, { file, title });
    expect([found('does it'), found('does %s'), found('did it'), found('a group'), found('does it', 'test/b.test.ts')]).toEqual([true, true, false, false, false]);
  });
});

function exists(tree: SourceTree, { file, title }: CaseTest): boolean {
  const text = tree[file];
  return text !== undefined && nodesOf(parse(file, text)).some((node) => titleOf(node) === title);
}

/** The title of `it('…')`, `test('…')` and of what `each`, `skipIf` and their like make of them. */
function titleOf(node: ts.Node): string | undefined {
  if (!ts.isCallExpression(node)) return undefined;
  const [title] = node.arguments;
  return title && ts.isStringLiteralLike(title) && ['it', 'test'].includes(calledName(node.expression)) ? title.text : undefined;
}

function calledName(expression: ts.Expression): string {
  if (ts.isIdentifier(expression)) return expression.text;
  return ts.isCallExpression(expression) || ts.isPropertyAccessExpression(expression) ? calledName(expression.expression) : '';
}
