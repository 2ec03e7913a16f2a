import type { FilePath, FolderPath } from '../ids.ts';
import { chainTo, fileIn } from '../paths.ts';
import { parsePackageJson } from './manifests/packageJson.ts';
import { parseTomlManifest } from './manifests/tomlManifest.ts';

/** A command that a project runs on itself, as its own files say; never one that is only customary. */
export interface FoundCommand {
  readonly kind: 'test' | 'lint' | 'types' | 'format' | 'build';
  /** As typed in a shell, in `folder`. */
  readonly run: string;
  readonly folder: FolderPath;
  /** The file that says so. */
  readonly from: FilePath;
  /** What it runs in turn, where that is a short line. */
  readonly detail: string | null;
  /** False where the project only configures the program: how it is installed and started is not said. */
  readonly declared: boolean;
}

/** How a tree of files is looked at: what there is, and what it says. `read` gives null for what is not there or cannot be read. */
export interface Look {
  has(path: FilePath): boolean;
  read(path: FilePath): string | null;
}

/** The commands of one folder, tests first. */
export function commandsOf(folder: FolderPath, look: Look): FoundCommand[] {
  const declared = [...packageScripts(folder, look), ...cargo(folder, look), ...python(folder, look), ...go(folder, look), ...java(folder, look), ...recipes(folder, look)];
  // Where a task runner says how, scripts are what it is made of.
  const found = [...shellScripts(folder, look).filter((c) => !declared.some((d) => d.kind === c.kind && d.declared)), ...declared];
  const order = ['test', 'lint', 'types', 'format', 'build'];
  // What another only starts is the same said twice.
  const startedBy = (c: FoundCommand, d: FoundCommand) => c !== d && ` ${d.detail ?? ''} `.includes(` ${c.run} `);
  return found.filter((c, i) => found.findIndex((d) => d.run === c.run) === i && !found.some((d) => startedBy(c, d))).sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
}

/** npm, pnpm, yarn or bun: as the nearest package.json declares, else by the nearest lock file; npm where nothing tells. */
export function packageManager(folder: FolderPath, look: Look): 'npm' | 'pnpm' | 'yarn' | 'bun' {
  for (const at of chainTo(folder).reverse()) {
    const manifest = look.has(fileIn(at, 'package.json')) ? parsePackageJson(look.read(fileIn(at, 'package.json')) ?? '') : null;
    const declared = /^(npm|pnpm|yarn|bun)@/.exec(manifest?.packageManager ?? '')?.[1];
    if (declared === 'npm' || declared === 'pnpm' || declared === 'yarn' || declared === 'bun') return declared;
    if (look.has(fileIn(at, 'pnpm-lock.yaml'))) return 'pnpm';
    if (look.has(fileIn(at, 'yarn.lock'))) return 'yarn';
    if (look.has(fileIn(at, 'bun.lock')) || look.has(fileIn(at, 'bun.lockb'))) return 'bun';
    if (look.has(fileIn(at, 'package-lock.json'))) return 'npm';
  }
  return 'npm';
}

/** What a script or target of this name is for; null for other names. */
function kindOf(name: string): FoundCommand['kind'] | null {
  if (/^tests?$/.test(name)) return 'test';
  if (/^(lint(:all|:check|:ci)?|check)$/.test(name)) return 'lint';
  if (/^(type-?check|check-?types|check:types|types:check|tsc|typing)$/.test(name)) return 'types';
  if (/^((format|fmt|prettier)([:-]check)?|check[:-]?(format|fmt))$/.test(name)) return 'format';
  if (/^(build|compile)$/.test(name)) return 'build';
  return null;
}

function packageScripts(folder: FolderPath, look: Look): FoundCommand[] {
  const from = fileIn(folder, 'package.json');
  const manifest = look.has(from) ? parsePackageJson(look.read(from) ?? '') : null;
  if (!manifest) return [];
  const manager = packageManager(folder, look);
  const real = Object.entries(manifest.scripts).filter(([, line]) => line.trim() !== '' && !/no test specified/i.test(line));
  const named = real.filter(([name]) => kindOf(name) !== null);
  // Without a plain `test`, its variants are what there is.
  const variants = named.some(([name]) => kindOf(name) === 'test') ? [] : real.filter(([name]) => /^tests?[:-]/.test(name) && !/watch|debug|update|coverage/.test(name)).slice(0, 3);
  return [...named, ...variants].map(([name, line]) => ({
    // A script called `check` is whatever it runs.
    kind: name === 'check' && /\b(tsc|vue-tsc|svelte-check)\b/.test(line) ? 'types' : kindOf(name) ?? 'test',
    run: name === 'test' ? `${manager} test` : manager === 'yarn' ? `yarn ${name}` : `${manager} run ${name}`,
    folder, from,
    detail: line.length <= 100 ? line.trim() : null,
    declared: true,
  }));
}

/** `scripts/test.sh`, `script/lint`: the customary places of what has no task runner. */
function shellScripts(folder: FolderPath, look: Look): FoundCommand[] {
  return ['scripts', 'script'].flatMap((at) => ['test', 'tests', 'lint', 'check', 'typecheck', 'format', 'build'].flatMap((name): FoundCommand[] => {
    const kind = kindOf(name);
    const script = [`${at}/${name}.sh`, `${at}/${name}`].find((path) => look.has(fileIn(folder, path)));
    return kind === null || script === undefined ? [] : [{ kind, run: script.endsWith('.sh') ? `bash ${script}` : script, folder, from: fileIn(folder, script), detail: null, declared: true }];
  }));
}

function cargo(folder: FolderPath, look: Look): FoundCommand[] {
  const from = fileIn(folder, 'Cargo.toml');
  const manifest = look.has(from) ? parseTomlManifest(look.read(from) ?? '') : null;
  if (!manifest) return [];
  const both = manifest.keys('package') !== null && manifest.keys('workspace') !== null;
  const found: FoundCommand[] = [{ kind: 'test', run: both ? 'cargo test --workspace' : 'cargo test', folder, from, detail: null, declared: true }];
  const clippy = ['clippy.toml', '.clippy.toml'].find((name) => look.has(fileIn(folder, name)));
  if (clippy !== undefined || manifest.keys('lints', 'clippy') !== null || manifest.keys('workspace', 'lints', 'clippy') !== null) found.push({ kind: 'lint', run: 'cargo clippy', folder, from: clippy === undefined ? from : fileIn(folder, clippy), detail: null, declared: true });
  const rustfmt = ['rustfmt.toml', '.rustfmt.toml'].find((name) => look.has(fileIn(folder, name)));
  if (rustfmt !== undefined) found.push({ kind: 'format', run: 'cargo fmt --check', folder, from: fileIn(folder, rustfmt), detail: null, declared: true });
  return found;
}

function python(folder: FolderPath, look: Look): FoundCommand[] {
  const found: FoundCommand[] = [];
  const at = (name: string) => fileIn(folder, name);
  const text = (name: string) => (look.has(at(name)) ? look.read(at(name)) : null);
  const project = parseTomlManifest(text('pyproject.toml') ?? '');
  const setupCfg = text('setup.cfg');
  const toxIni = text('tox.ini');
  const add = (kind: FoundCommand['kind'], run: string, from: string | undefined) => {
    if (from !== undefined) found.push({ kind, run, folder, from: at(from), detail: null, declared: run === 'tox' || run === 'nox' });
  };
  const tool = (name: string) => (project?.keys('tool', name) ? 'pyproject.toml' : undefined);
  const section = (name: string) => (new RegExp(`^\\[(tool:)?${name}\\]`, 'm').test(setupCfg ?? '') ? 'setup.cfg' : new RegExp(`^\\[${name}\\]`, 'm').test(toxIni ?? '') ? 'tox.ini' : undefined);
  const file = (...names: string[]) => names.find((name) => look.has(at(name)));
  add('test', 'pytest', file('pytest.ini', '.pytest.ini') ?? tool('pytest') ?? section('pytest'));
  add('test', 'tox', /^\[(tox|testenv)/m.test(toxIni ?? '') ? 'tox.ini' : tool('tox'));
  add('test', 'nox', file('noxfile.py'));
  add('lint', 'ruff check', file('ruff.toml', '.ruff.toml') ?? tool('ruff'));
  add('lint', 'flake8', file('.flake8') ?? section('flake8'));
  add('types', 'mypy', file('mypy.ini', '.mypy.ini') ?? tool('mypy') ?? section('mypy'));
  add('types', 'ty check', file('ty.toml') ?? tool('ty'));
  add('format', 'black --check .', tool('black'));
  add('types', 'pyright', file('pyrightconfig.json') ?? tool('pyright'));
  if (found.length > 0 || project !== null || setupCfg !== null) add('lint', 'pre-commit run --all-files', file('.pre-commit-config.yaml'));
  return found;
}

function go(folder: FolderPath, look: Look): FoundCommand[] {
  const from = fileIn(folder, 'go.mod');
  if (!look.has(from)) return [];
  const golangci = ['.golangci.yml', '.golangci.yaml', '.golangci.toml', '.golangci.json'].find((name) => look.has(fileIn(folder, name)));
  return [
    { kind: 'test', run: 'go test ./...', folder, from, detail: null, declared: true },
    ...(golangci === undefined ? [] : [{ kind: 'lint' as const, run: 'golangci-lint run', folder, from: fileIn(folder, golangci), detail: null, declared: true }]),
  ];
}

function java(folder: FolderPath, look: Look): FoundCommand[] {
  const has = (name: string) => look.has(fileIn(folder, name));
  if (has('pom.xml')) return [{ kind: 'test', run: has('mvnw') ? './mvnw test' : 'mvn test', folder, from: fileIn(folder, 'pom.xml'), detail: null, declared: true }];
  const gradle = ['build.gradle', 'build.gradle.kts'].find(has);
  return gradle !== undefined && has('gradlew') ? [{ kind: 'test', run: './gradlew test', folder, from: fileIn(folder, gradle), detail: null, declared: true }] : [];
}

/** Targets of make and recipes of just. */
function recipes(folder: FolderPath, look: Look): FoundCommand[] {
  const found: FoundCommand[] = [];
  for (const [name, program] of [['GNUmakefile', 'make'], ['Makefile', 'make'], ['makefile', 'make'], ['justfile', 'just'], ['Justfile', 'just']] as const) {
    const from = fileIn(folder, name);
    for (const line of (look.has(from) ? (look.read(from) ?? '') : '').split('\n')) {
      const target = /^([A-Za-z][\w-]*)(?:\s[^:=#]*)?:(?!=)/.exec(line)?.[1];
      // The customary name of a makefile's tests is `check`.
      const kind = target === undefined ? null : target === 'check' ? 'test' : kindOf(target);
      if (target !== undefined && kind !== null && !found.some((c) => c.run === `${program} ${target}`)) found.push({ kind, run: `${program} ${target}`, folder, from, detail: null, declared: true });
    }
  }
  return found;
}
