/** What matters here of a package.json; whatever is missing or of another shape is null or empty. */
export interface PackageJson {
  readonly name: string | null;
  readonly description: string | null;
  readonly private: boolean;
  readonly type: string | null;
  readonly scripts: Readonly<Record<string, string>>;
  readonly engines: Readonly<Record<string, string>>;
  readonly packageManager: string | null;
  /** Files that importers reach, in the order in which they are declared: exports (main entry first), module, main, types. As written, `./dist/index.js`. */
  readonly entries: readonly { readonly subpath: string; readonly file: string }[];
  readonly bin: readonly { readonly name: string; readonly file: string }[];
  /** Globs of the workspace's packages. */
  readonly workspaces: readonly string[];
  /** Names of all kinds of dependencies. */
  readonly dependencies: readonly string[];
}

/** Null for what is not a JSON object. */
export function parsePackageJson(text: string): PackageJson | null {
  const json = objectOf(parsed(text.replace(/^\ufeff/, '')));
  if (json === null) return null;
  const name = textOf(json['name']);
  const workspaces = json['workspaces'];
  return {
    name,
    description: textOf(json['description']),
    private: json['private'] === true,
    type: textOf(json['type']),
    scripts: textsOf(json['scripts']),
    engines: textsOf(json['engines']),
    packageManager: textOf(json['packageManager']),
    entries: entriesOf(json),
    bin: typeof json['bin'] === 'string' ? [{ name: name?.replace(/^@[^/]+\//, '') ?? '', file: json['bin'] }] : Object.entries(textsOf(json['bin'])).map(([command, file]) => ({ name: command, file })),
    workspaces: listOf(Array.isArray(workspaces) ? workspaces : objectOf(workspaces)?.['packages']),
    dependencies: ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'].flatMap((key) => Object.keys(textsOf(json[key]))),
  };
}

function entriesOf(json: Readonly<Record<string, unknown>>): { subpath: string; file: string }[] {
  const found: { subpath: string; file: string }[] = [];
  const add = (subpath: string, file: string | null) => {
    if (file !== null && !found.some((e) => e.subpath === subpath && e.file === file)) found.push({ subpath, file });
  };
  const { exports } = json;
  const table = objectOf(exports);
  if (table && Object.keys(table).some((key) => key.startsWith('.'))) {
    for (const [subpath, target] of Object.entries(table)) if (!subpath.includes('*') && subpath !== './package.json') for (const file of targetsOf(target)) add(subpath, file);
  } else for (const file of targetsOf(exports)) add('.', file);
  for (const key of ['source', 'module', 'main', 'types', 'typings']) add('.', textOf(json[key]));
  return found;
}

/** Every file that a target of `exports` may lead to, whatever its conditions. */
function targetsOf(target: unknown): string[] {
  if (typeof target === 'string') return [target];
  if (Array.isArray(target)) return target.flatMap(targetsOf);
  return Object.values(objectOf(target) ?? {}).flatMap(targetsOf);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

function textsOf(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(objectOf(value) ?? {}).filter((e): e is [string, string] => typeof e[1] === 'string'));
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((v): v is string => typeof v === 'string') : [];
}
