import type { FilePath, FolderPath } from '../ids.ts';
import { baseName, chainTo, fileIn, parentFolder, ROOT } from '../paths.ts';
import type { ApiItem } from './api/apiItem.ts';
import { nameOf, within } from './api/jsSurface.ts';
import type { ModuleLine, Place, Surface } from './api/surface.ts';
import { commandsOf, type FoundCommand } from './commands.ts';
import type { FileTree } from './fileTree.ts';
import { folderKind, isTestFile } from './folderKinds.ts';
import { purposeOf, surfacesOf } from './purpose.ts';
import type { Reading } from './reading.ts';
import { routingTable } from './routingTable.ts';
import { hasPage } from './selectFolders.ts';
import { readmeOf, titleOf, unitFacts } from './unitFacts.ts';

/** What it is, so that nobody takes it for more. */
const SURVEY_LINE = '> Written by Worldtree\'s rule-based survey from what the files here say; no model was asked. Correct it where it is wrong.';

const MOST_ITEMS = 30;
const MOST_TYPES = 24;
/** Of those that are only named. */
const MOST_NAMES = 48;
const FEW_VALUES = 5;

/**
 * The CONTEXT.md of a folder; null where nothing is known that is worth a page. `pages` are the folders that get one now;
 * `asked` is true for the folder that the survey is of, for which knowing what is where is enough.
 */
export function contextPage(tree: FileTree, reading: Reading, folder: FolderPath, pages: readonly FolderPath[], asked: boolean): string | null {
  const place: Place = { folder, tree, reading };
  const purpose = purposeOf(place);
  const surfaces = surfacesOf(place);
  const facts = unitFacts(place);
  const { routes, more } = routingTable(tree, reading, folder, pages);
  if (purpose === null && surfaces.length === 0 && (!asked || routes.length === 0)) return null;
  const readme = readmeOf(place);
  const sections = [
    section('Purpose', purpose === null ? [] : [purpose]),
    section('API surface', surfaces.flatMap((s, i) => [...(i === 0 ? [] : ['']), ...surfaceLines(folder, s, (f) => f !== folder && (pages.includes(f) || hasPage(tree, f)))])),
    section('Constraints', facts.constraints.map((line) => `- ${line}`)),
    section('Routing table', routes.length === 0 ? [] : ['| Folder | What is there |', '| --- | --- |', ...routes.map((r) => `| ${routeName(folder, r.folder, r.page)} | ${cell(r.words)} |`), ...(more > 0 ? ['', more === 1 ? 'Besides these, one more folder.' : `Besides these, ${more} more folders.`] : [])]),
    section('Known issues', readme === null ? [] : readme.knownIssues.map((heading) => `- [${heading}](${link(baseName(readme.path))}#${slug(heading)}), in the readme.`)),
    section('Notes for agents', notes(place, facts.members)),
  ].filter((s) => s !== null);
  return `# ${titleOf(place)}\n\n${SURVEY_LINE}\n\n${sections.join('\n\n')}\n`;
}

function section(heading: string, lines: readonly string[]): string | null {
  return lines.length === 0 ? null : `## ${heading}\n\n${lines.join('\n')}`;
}

function surfaceLines(folder: FolderPath, surface: Surface, paged: (f: FolderPath) => boolean): string[] {
  const own = surface.items.filter((i) => !i.deprecated && i.external === null);
  const values = own.filter((i) => !i.typeOnly);
  const types = own.filter((i) => i.typeOnly);
  const deprecated = surface.items.filter((i) => i.deprecated);
  const passedOn = surface.items.filter((i) => !i.deprecated && i.external !== null);
  const files = new Set([...own.map((i) => i.file), ...(surface.entry === null ? [] : [surface.entry])]);
  const home = surface.entry === null ? null : parentFolder(surface.entry);
  const told = home !== null && paged(home) ? home : null;
  // A value of which nothing is said is no more than its name: many of them are one line.
  const bare = values.filter((i) => i.doc === null && /^(constant|variable)$/.test(i.kind ?? '') && i.name !== 'default export');
  const single = ranked(bare.length < FEW_VALUES ? values : values.filter((i) => !bare.includes(i)));
  const lines = told === null ? [
    ...single.slice(0, MOST_ITEMS).map((i) => itemLine(folder, i, files.size > 1)),
    ...(single.length <= MOST_ITEMS ? [] : [`- Also: ${names(single.slice(MOST_ITEMS), MOST_NAMES)}.`]),
    ...(bare.length < FEW_VALUES ? [] : [`- Values: ${names(bare, MOST_NAMES)}.`]),
    ...(types.length === 0 ? [] : [`- Types: ${names(types, MOST_TYPES)}.`]),
    ...(deprecated.length === 0 ? [] : [`- Deprecated: ${names(deprecated, 15)}.`]),
    ...[...new Set(passedOn.map((i) => i.external))].map((external) => `- Re-exported from \`${external ?? ''}\`: ${reExported(passedOn.filter((i) => i.external === external))}.`),
  ] : [...(own.length === 0 ? [] : [`- ${names([...ranked(values), ...types], 24)}.`]), `- Each is described in [${within(folder, told as string as FilePath)}](${link(`${within(folder, told as string as FilePath)}/CONTEXT.md`)}).`];
  const modules = told === null ? surface.modules.map((m) => moduleLine(folder, m)) : [];
  const other = [
    ...(surface.entries.length === 0 ? [] : [`- Further entries: ${surface.entries.slice(0, 12).map((e) => `\`${e.name}\` (\`${within(folder, e.file)}\`)`).join(', ')}${surface.entries.length > 12 ? ' and others' : ''}.`]),
    ...(surface.programs.length === 0 ? [] : [`- ${surface.programs.length === 1 ? 'Program' : 'Programs'}: ${surface.programs.slice(0, 12).map((p) => `\`${p.name}\` (\`${within(folder, p.file)}\`)`).join(', ')}.`]),
  ];
  const items = surface.items.length === 0 ? [] : [`${surface.of}:`, '', ...lines];
  const beside = modules.length === 0 ? [] : [surface.items.length === 0 ? `${surface.of}:` : 'Modules beside it:', '', ...modules];
  const parts = beside.length === 0 ? [[...items, ...other]] : [items, [...beside, ...other]];
  return parts.filter((part) => part.length > 0).flatMap((part, i) => [...(i === 0 ? [] : ['']), ...part]);
}

/** A file that says nothing of itself is told by the first thing in it that says what it does. */
function moduleLine(folder: FolderPath, { file, names, doc }: ModuleLine): string {
  const shown = names.slice(0, 8);
  const first = doc === null ? shown.find((n) => n.doc !== null) : undefined;
  const list = shown.map((n) => `\`${n.name}\`${n === first ? ` (${n.doc ?? ''})` : ''}`).join(', ');
  return `- \`${within(folder, file)}\`${doc === null ? '' : ` (${doc})`}${list === '' ? '' : `: ${list}`}${names.length > shown.length ? ', …' : ''}`;
}

function itemLine(folder: FolderPath, item: ApiItem, withFile: boolean): string {
  const kind = item.kind === null ? '' : ` ${item.kind}`;
  return `- \`${item.name}\`${kind}${withFile ? `, \`${within(folder, item.file)}\`` : ''}${item.doc === null ? '' : `: ${item.doc}`}`;
}

/** What a user of the code starts from comes first: things that do something, then modules, then values. */
function ranked(items: readonly ApiItem[]): ApiItem[] {
  if (items.length <= MOST_ITEMS) return [...items];
  const weight = ({ kind, doc }: ApiItem) => (/^(class|struct|trait|interface)$/.test(kind ?? '') ? 0 : /^(constant|variable|type|type alias|function type)$/.test(kind ?? '') ? 4 : 2) + (doc === null ? 1 : 0);
  return items.map((item, at) => ({ item, at })).sort((a, b) => weight(a.item) - weight(b.item) || a.at - b.at).map(({ item }) => item);
}

function names(items: readonly ApiItem[], most: number): string {
  return `${items.slice(0, most).map((i) => `\`${nameOf(i.name, i.kind)}\``).join(', ')}${items.length > most ? ` and ${items.length - most} more` : ''}`;
}

function reExported(items: readonly ApiItem[]): string {
  return items.some((i) => i.name === '*') ? 'all of it' : names(items, 15);
}

function notes(place: Place, members: readonly string[]): string[] {
  const { folder, tree } = place;
  const tests = tree.foldersIn(folder).filter((f) => folderKind(f) === 'tests' && /^(tests?|__tests__|specs?|e2e)$/i.test(baseName(f))).map((f) => `\`${baseName(f)}/\``);
  const beside = tests.length === 0 && tree.filesIn(folder).some(isTestFile);
  const pages = ['AGENTS.md', 'CLAUDE.md', 'CONTRIBUTING.md', 'CONTRIBUTING.rst'].map((name) => tree.named(folder, name) ?? (name.startsWith('CONTRIBUTING') ? tree.named(fileIn(folder, '.github') as string as FolderPath, name) ?? tree.named(fileIn(folder, 'docs') as string as FolderPath, name) : null)).filter((p) => p !== null);
  return [
    ...(pages.length === 0 ? [] : [`- How work is done here: ${pages.map((p) => `[${within(folder, p)}](${link(within(folder, p))})`).join(', ')}.`]),
    ...(members.length === 0 ? [] : [`- Workspace of ${members.slice(0, 12).map((m) => `\`${m}\``).join(', ')}${members.length > 12 ? ' and others' : ''}.`]),
    ...commandLines(place),
    ...(tests.length === 0 ? beside ? ['- Tests lie beside the code that they test.'] : [] : [`- Tests: ${tests.join(', ')}.`]),
  ];
}

/** The folder's own commands, and on one line for each folder above what only that one has. */
function commandLines({ folder, tree, reading }: Place): string[] {
  const look = { has: (path: FilePath) => tree.has(path), read: (path: FilePath) => reading.read(path) };
  const found: FoundCommand[] = [];
  for (const at of chainTo(folder).reverse()) {
    for (const command of commandsOf(at, look)) {
      if (command.folder === folder || !found.some((c) => c.kind === command.kind && c.folder !== command.folder)) found.push(command);
    }
  }
  const kinds = ['test', 'lint', 'types', 'format', 'build'] as const;
  const words = { test: 'Test', lint: 'Lint', types: 'Types', format: 'Format', build: 'Build' };
  const own = kinds.flatMap((kind) => {
    const of = found.filter((c) => c.kind === kind && c.folder === folder).slice(0, 4);
    return of.length === 0 ? [] : [`- ${words[kind]}: ${of.map((c) => `\`${c.run}\`${c.declared ? c.detail === null || c.detail === c.run ? '' : ` (${code(c.detail)})` : ` (configured in \`${baseName(c.from)}\`)`}`).join(', ')}.`];
  });
  const above = chainTo(folder).slice(0, -1).reverse().flatMap((at) => {
    const of = kinds.flatMap((kind) => {
      const runs = found.filter((c) => c.kind === kind && c.folder === at).slice(0, 2).map((c) => `\`${c.run}\``);
      return runs.length === 0 ? [] : [`${kind === 'types' ? 'check types' : kind} ${runs.join(' or ')}`];
    });
    return of.length === 0 ? [] : [`- ${at === ROOT ? 'At the root' : `In \`${at}\``}: ${of.join(', ')}.`];
  });
  return [...own, ...above];
}

function routeName(from: FolderPath, folder: FolderPath, page: boolean): string {
  const name = within(from, folder as string as FilePath);
  return page ? `[${cell(name)}](${link(`${name}/CONTEXT.md`)})` : `\`${cell(name)}/\``;
}

function link(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/\s+/g, ' ');
}

function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** As GitHub and VS Code make anchors of headings. */
function slug(heading: string): string {
  return heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '').trim().replace(/\s/g, '-');
}
