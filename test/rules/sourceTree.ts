import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { projectRoot } from '../support/projectRoot.ts';

/** Paths from the project's root, with `/`, and what the files hold. */
export type SourceTree = Readonly<Record<string, string>>;

export interface Import {
  readonly from: string;
  /** As it is written. */
  readonly specifier: string;
  /** The file meant by a relative specifier. */
  readonly file: string | undefined;
  /** True when nothing of it is left at run time. */
  readonly typeOnly: boolean;
}

/** All TypeScript files below a folder of the project. */
export function readSourceTree(folder: string): SourceTree {
  const names = readdirSync(path.join(projectRoot, folder), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts')).toSorted();
  return Object.fromEntries(names.map((name) => {
    const file = `${folder}/${name.replaceAll(path.sep, '/')}`;
    return [file, readFileSync(path.join(projectRoot, file), 'utf8')];
  }));
}

const parsed = new Map<string, ts.SourceFile>();

/** Each text is parsed once, however many rules look at it. */
export function parse(file: string, text: string): ts.SourceFile {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const made = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true, ts.ScriptKind.TS);
  parsed.set(text, made);
  return made;
}

export function importsOf(tree: SourceTree): readonly Import[] {
  return Object.entries(tree).flatMap(([file, text]) => nodesOf(parse(file, text)).flatMap((node) => {
    const found = importIn(node);
    if (found === undefined) return [];
    const { specifier, typeOnly } = found;
    return [{ from: file, specifier, typeOnly, file: specifier.startsWith('.') ? path.posix.join(path.posix.dirname(file), specifier) : undefined }];
  }));
}

/** A node and everything below it. */
export function nodesOf(root: ts.Node): readonly ts.Node[] {
  const found: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    found.push(node);
    node.forEachChild(visit);
  };
  visit(root);
  return found;
}

function importIn(node: ts.Node): { readonly specifier: string; readonly typeOnly: boolean } | undefined {
  if (ts.isImportDeclaration(node)) return textOf(node.moduleSpecifier, isTypeOnly(node.importClause));
  if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
    const named = node.exportClause !== undefined && ts.isNamedExports(node.exportClause) ? node.exportClause.elements : undefined;
    return textOf(node.moduleSpecifier, node.isTypeOnly || (named?.every((element) => element.isTypeOnly) ?? false));
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return textOf(node.argument.literal, true);
  if (ts.isExternalModuleReference(node)) return textOf(node.expression, false);
  if (ts.isCallExpression(node) && (node.expression.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(node.expression) && node.expression.text === 'require'))) return textOf(node.arguments[0], false);
  return undefined;
}

function isTypeOnly(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const { name, namedBindings } = clause;
  return name === undefined && namedBindings !== undefined && ts.isNamedImports(namedBindings) && namedBindings.elements.length > 0 && namedBindings.elements.every((element) => element.isTypeOnly);
}

function textOf(specifier: ts.Node | undefined, typeOnly: boolean): { readonly specifier: string; readonly typeOnly: boolean } {
  // What is computed cannot be judged, so it is shown as it stands and no rule allows it.
  return { specifier: specifier !== undefined && ts.isStringLiteralLike(specifier) ? specifier.text : (specifier?.getText() ?? ''), typeOnly };
}
