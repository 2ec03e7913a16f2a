import path from 'node:path';
import ts from 'typescript';
import { nodesOf, parse, type SourceTree } from './sourceTree.ts';

const longest = 500;
const emptyNames = /^(utils?|helpers?|managers?|misc|common|types?|index)$|[a-z](Utils?|Helpers?|Managers?|Misc)$/;
const silencer = /@ts-(ignore|nocheck|expect-error)|eslint-disable/;

export function longFiles(tree: SourceTree): readonly string[] {
  return Object.entries(tree).filter(([, text]) => text.trimEnd().split('\n').length > longest).map(([file]) => file);
}

export function defaultExports(tree: SourceTree): readonly string[] {
  return withNode(tree, (node) => {
    if (ts.isExportAssignment(node)) return true;
    if (ts.isExportSpecifier(node)) return node.name.text === 'default';
    return ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword);
  });
}

/** Files that pass on all of another one, or that hold nothing of their own. */
export function barrels(tree: SourceTree): readonly string[] {
  return Object.entries(tree).filter(([file, text]) => {
    const { statements } = parse(file, text);
    const passedOn = statements.filter((statement) => ts.isExportDeclaration(statement) && statement.moduleSpecifier !== undefined);
    const everything = passedOn.some((statement) => ts.isExportDeclaration(statement) && (statement.exportClause === undefined || ts.isNamespaceExport(statement.exportClause)));
    return everything || (passedOn.length > 0 && statements.every((statement) => ts.isExportDeclaration(statement) || ts.isImportDeclaration(statement)));
  }).map(([file]) => file);
}

/** Files whose name says nothing about what they hold. */
export function emptilyNamedFiles(tree: SourceTree): readonly string[] {
  return Object.keys(tree).filter((file) => emptyNames.test(path.posix.basename(file).replace(/(\.\w+)*\.ts$/, '')));
}

export function uncheckedTypes(tree: SourceTree): readonly string[] {
  return withNode(tree, (node) => node.kind === ts.SyntaxKind.AnyKeyword);
}

/** Files with a comment that silences the compiler or the linter. */
export function silencedChecks(tree: SourceTree): readonly string[] {
  return Object.entries(tree).filter(([, text]) => commentsIn(text).some((comment) => silencer.test(comment))).map(([file]) => file);
}

function withNode(tree: SourceTree, wanted: (node: ts.Node) => boolean): readonly string[] {
  return Object.entries(tree).filter(([file, text]) => nodesOf(parse(file, text)).some(wanted)).map(([file]) => file);
}

function commentsIn(text: string): readonly string[] {
  const file = parse('comments.ts', text);
  // Comments hang on tokens, and brackets are tokens that `forEachChild` leaves out.
  const ranges = tokensOf(file, file).flatMap((token) => [...(ts.getLeadingCommentRanges(text, token.getFullStart()) ?? []), ...(ts.getTrailingCommentRanges(text, token.getEnd()) ?? [])]);
  return ranges.map(({ pos, end }) => text.slice(pos, end));
}

function tokensOf(node: ts.Node, file: ts.SourceFile): readonly ts.Node[] {
  const children = node.getChildren(file);
  return children.length === 0 ? [node] : children.flatMap((child) => tokensOf(child, file));
}
