import ts from 'typescript';
import { nodesOf, parse, type SourceTree } from './sourceTree.ts';

/** Globals that make a result depend on when, where or how often it is computed. */
const impure = new Set(['crypto', 'performance', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'process', 'globalThis', 'fetch', 'console']);

/** Uses of clock, chance, timers and surroundings, in words. */
export function impureUses(tree: SourceTree): readonly string[] {
  return Object.entries(tree).flatMap(([file, text]) => {
    const nodes = nodesOf(parse(file, text));
    const declared = new Set(nodes.flatMap((node) => (isDeclaration(node) && node.name !== undefined && ts.isIdentifier(node.name) ? [node.name.text] : [])));
    return nodes.flatMap((node) => {
      const use = impureUse(node, declared);
      return use === undefined ? [] : [`${file} uses ${use}`];
    });
  });
}

function impureUse(node: ts.Node, declared: ReadonlySet<string>): string | undefined {
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
    const whole = `${node.expression.text}.${node.name.text}`;
    if (whole === 'Date.now' || whole === 'Math.random') return whole;
  }
  // With an argument it only converts a time that was given.
  if (ts.isNewExpression(node) && node.expression.getText() === 'Date' && (node.arguments?.length ?? 0) === 0) return 'new Date()';
  if (ts.isCallExpression(node) && node.expression.getText() === 'Date') return 'Date()';
  if (ts.isIdentifier(node) && impure.has(node.text) && !declared.has(node.text) && isReference(node)) return node.text;
  return undefined;
}

function isReference(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) || ts.isQualifiedName(parent)) return (ts.isPropertyAccessExpression(parent) ? parent.expression : parent.left) === node;
  return !(isDeclaration(parent) && parent.name === node);
}

function isDeclaration(node: ts.Node): node is ts.NamedDeclaration {
  return ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isFunctionDeclaration(node) || ts.isBindingElement(node) || ts.isImportSpecifier(node) || ts.isImportClause(node)
    || ts.isPropertyAssignment(node) || ts.isPropertySignature(node) || ts.isPropertyDeclaration(node) || ts.isMethodDeclaration(node) || ts.isMethodSignature(node) || ts.isNamespaceImport(node);
}
