import { parse } from 'yaml';
import type { FilePath } from '../ids.ts';
import { baseName, chainTo, fileIn, ROOT } from '../paths.ts';
import type { Place } from './api/surface.ts';
import { packageManager } from './commands.ts';
import { parsePackageJson } from './manifests/packageJson.ts';
import { parseTomlManifest, type TomlManifest } from './manifests/tomlManifest.ts';
import { parseReadme, type Readme } from './readme.ts';

/** What the manifests of a folder declare about it. */
interface UnitFacts {
  readonly name: string | null;
  /** Whether others know it by that name. */
  readonly published: boolean;
  readonly description: string | null;
  /** What its environment or its users have to be; each a line of Markdown. */
  readonly constraints: readonly string[];
  /** Globs of the packages of its workspace. */
  readonly members: readonly string[];
}

export function unitFacts(place: Place): UnitFacts {
  return place.reading.memo(`facts ${place.folder}`, () => declared(place));
}

function declared(place: Place): UnitFacts {
  const all = [nodeFacts(place), cargoFacts(place), pythonFacts(place), goFacts(place), composerFacts(place)].filter((f) => f !== null);
  return {
    name: all.find((f) => f.name !== null)?.name ?? null,
    published: all.find((f) => f.name !== null)?.published ?? false,
    description: all.find((f) => f.description !== null)?.description ?? null,
    constraints: all.flatMap((f) => f.constraints),
    members: all.flatMap((f) => f.members),
  };
}

export function readmeOf({ folder, tree, reading }: Place): (Readme & { readonly path: FilePath }) | null {
  const path = tree.named(folder, 'README.md', 'README.markdown', 'README.rst', 'README.mdx', 'README', 'README.txt');
  const text = path === null ? null : reading.head(path, 120);
  return path === null || text === null ? null : { ...parseReadme(text, /\.rst$/i.test(path)), path };
}

function nodeFacts(place: Place): UnitFacts | null {
  const { folder, tree, reading } = place;
  const text = reading.read(fileIn(folder, 'package.json'));
  const manifest = text === null ? null : parsePackageJson(text);
  if (!manifest) return null;
  const { node, vscode, ...engines } = manifest.engines;
  const others = Object.entries(engines);
  const manager = packageManager(folder, { has: (path) => tree.has(path), read: (path) => reading.read(path) });
  const lock = tree.named(folder, ...{ npm: ['package-lock.json', 'npm-shrinkwrap.json'], pnpm: ['pnpm-lock.yaml'], yarn: ['yarn.lock'], bun: ['bun.lock', 'bun.lockb'] }[manager]);
  const workspace = reading.read(fileIn(folder, 'pnpm-workspace.yaml'));
  return {
    name: manifest.name,
    published: !manifest.private,
    // Where tools fill in the name for want of a description, nothing is said.
    description: manifest.description === manifest.name ? null : manifest.description,
    constraints: [
      ...(node === undefined ? [] : [`Runs on Node.js \`${node}\` (\`engines\`).`]),
      ...(others.length === 0 ? [] : [`Needs ${others.map(([name, range]) => `${name} \`${range}\``).join(', ')} (\`engines\`).`]),
      ...(vscode === undefined ? [] : [`VS Code \`${vscode}\` (\`engines\`).`]),
      ...(manifest.type === 'module' ? ['ES modules (`"type": "module"`).'] : []),
      ...(manifest.packageManager === null ? lock === null ? [] : [`Dependencies are installed with ${manager} (\`${baseName(lock)}\`).`] : [`Dependencies are installed with \`${manifest.packageManager.replace(/\+sha.*$/, '')}\` (\`packageManager\`).`]),
      ...(manifest.private && manifest.name !== null && manifest.workspaces.length === 0 && workspace === null ? ['Not published (`"private": true`).'] : []),
    ],
    members: [...manifest.workspaces, ...pnpmPackages(workspace)],
  };
}

function pnpmPackages(text: string | null): string[] {
  try {
    const parsed: unknown = parse(text ?? '', { maxAliasCount: 20 });
    const packages: unknown = typeof parsed === 'object' && parsed !== null && 'packages' in parsed ? parsed.packages : [];
    return Array.isArray(packages) ? packages.filter((glob): glob is string => typeof glob === 'string' && !glob.startsWith('!')) : [];
  } catch {
    return [];
  }
}

function cargoFacts(place: Place): UnitFacts | null {
  const manifest = toml(place, fileIn(place.folder, 'Cargo.toml'));
  if (!manifest) return null;
  // `rust-version.workspace = true` stands in the workspace's own manifest.
  const roots = chainTo(place.folder).map((at) => toml(place, fileIn(at, 'Cargo.toml'))).filter((m) => m?.keys('workspace') != null);
  const inherited = (key: string) => manifest.text('package', key) ?? (manifest.flag('package', key, 'workspace') === true || manifest.keys('package') === null ? roots.at(-1)?.text('workspace', 'package', key) ?? null : null);
  const version = inherited('rust-version');
  const edition = inherited('edition');
  return {
    name: manifest.text('package', 'name'),
    published: manifest.flag('package', 'publish') !== false,
    description: inherited('description'),
    constraints: [
      ...(version === null ? [] : [`Rust ${version} or newer (\`rust-version\`).`]),
      ...(edition === null ? [] : [`Rust edition ${edition}.`]),
    ],
    members: manifest.texts('workspace', 'members'),
  };
}

function pythonFacts(place: Place): UnitFacts | null {
  const { folder, reading, tree } = place;
  const project = toml(place, fileIn(folder, 'pyproject.toml'));
  const cfg = reading.read(fileIn(folder, 'setup.cfg')) ?? '';
  const setup = reading.read(fileIn(folder, 'setup.py')) ?? '';
  if (project === null && !/^\[metadata\]/m.test(cfg) && setup === '') return null;
  const of = (key: string) => new RegExp(`^${key}\\s*=\\s*(.+)$`, 'm').exec(cfg)?.[1]?.trim() ?? new RegExp(`\\b${key}\\s*=\\s*(["'])(.+?)\\1`).exec(setup)?.[2] ?? null;
  const requires = project?.text('project', 'requires-python') ?? project?.text('tool', 'poetry', 'dependencies', 'python') ?? of('python_requires');
  const lock = tree.named(folder, 'uv.lock', 'poetry.lock', 'pdm.lock');
  const description = project?.text('project', 'description') ?? project?.text('tool', 'poetry', 'description') ?? of('description');
  return {
    name: project?.text('project', 'name') ?? project?.text('tool', 'poetry', 'name') ?? of('name'),
    published: true,
    description: description !== null && /^(file|attr):/.test(description) ? null : description,
    constraints: [
      ...(requires === null ? [] : [`Python \`${requires}\`.`]),
      ...(lock === null ? [] : [`Dependencies are installed with ${baseName(lock).replace(/\.lock$/, '').toLowerCase()} (\`${baseName(lock)}\`).`]),
    ],
    members: project?.texts('tool', 'uv', 'workspace', 'members') ?? [],
  };
}

function goFacts({ folder, reading }: Place): UnitFacts | null {
  const text = reading.read(fileIn(folder, 'go.mod'));
  if (text === null) return null;
  const version = /^go\s+(\S+)/m.exec(text)?.[1];
  const module = /^module\s+(\S+)/m.exec(text)?.[1];
  return { name: module?.split('/').filter((part) => !/^v\d+$/.test(part)).at(-1) ?? null, published: true, description: null, constraints: [...(version === undefined ? [] : [`Go ${version} or newer (\`go.mod\`).`]), ...(module === undefined ? [] : [`Import path \`${module}\`.`])], members: [] };
}

function composerFacts({ folder, reading }: Place): UnitFacts | null {
  const text = reading.read(fileIn(folder, 'composer.json'));
  const manifest = text === null ? null : parsePackageJson(text);
  const php = /"php"\s*:\s*"([^"]+)"/.exec(text ?? '')?.[1];
  return manifest && { name: manifest.name, published: true, description: manifest.description, constraints: php === undefined ? [] : [`PHP \`${php}\`.`], members: [] };
}

function toml({ reading }: Place, path: FilePath): TomlManifest | null {
  const text = reading.read(path);
  return text === null ? null : parseTomlManifest(text);
}

/**
 * What a folder is called: by its manifest, else by its readme's title where it is the repository, else by its own name.
 * The manifest of a workspace's root is mostly published to nobody, so its name is often made up.
 */
export function titleOf(place: Place): string {
  const { folder, reading } = place;
  const { name, published, members } = unitFacts(place);
  if (folder !== ROOT) return name ?? baseName(folder);
  const title = readmeOf(place)?.title ?? null;
  return (members.length > 0 ? (title ?? (published ? name : null) ?? reading.repository ?? name) : (name ?? title ?? reading.repository)) ?? 'This repository';
}
