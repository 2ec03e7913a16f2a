/**
 * The files by which a known program decides what it runs or what it lets pass, by name of the program. Whoever may
 * change these may change what a check means (rule 5).
 */
export function configFilesOf(program: string): RegExp | null {
  return CONFIG_FILES[program.replace(/\.(exe|cmd|bat)$/i, '')] ?? null;
}

/** Programs that only start another one: `npx vitest`, `poetry run pytest`, `time make`. The words to drop, with what may follow. */
export function withoutWrappers(words: readonly string[]): readonly string[] {
  let rest = words;
  for (;;) {
    const [first, second] = rest;
    if (first === undefined) return rest;
    if (['npx', 'bunx', 'pnpx', 'uvx', 'time', 'nice', 'env', 'exec', 'command', 'sudo', 'xvfb-run', 'cross-env', 'dotenv', 'c8', 'nyc'].includes(first)) rest = dropOptions(rest.slice(1));
    else if (first === 'timeout') rest = dropOptions(rest.slice(1)).slice(1);
    else if (second !== undefined && ['pnpm exec', 'pnpm dlx', 'npm exec', 'yarn exec', 'yarn dlx', 'bun x', 'poetry run', 'uv run', 'pipenv run', 'pdm run', 'hatch run', 'bundle exec', 'rye run', 'coverage run', 'deno run'].includes(`${first} ${second}`)) rest = dropOptions(rest.slice(2));
    else if (/^python[\d.]*$/.test(first) && second === '-m') rest = rest.slice(2);
    else return rest;
  }
}

/** Programs that run scripts of a package.json. */
export const PACKAGE_RUNNERS = ['npm', 'pnpm', 'yarn', 'bun', 'npm-run-all', 'run-s', 'run-p', 'concurrently', 'turbo', 'nx', 'lerna', 'wireit', 'rush'];

function dropOptions(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => !word.startsWith('-') && !/^[A-Za-z_]\w*=/.test(word));
  return at < 0 ? [] : words.slice(at);
}

const NODE_PACKAGE = /(^|\/)package\.json$/;
const PYTHON_PROJECT = /(^|\/)(pyproject\.toml|setup\.cfg|tox\.ini)$/;
const CARGO = /(^|\/)(Cargo\.toml|build\.rs|rust-toolchain(\.toml)?|\.?clippy\.toml|\.?rustfmt\.toml)$|(^|\/)\.cargo\/config(\.toml)?$/;
const MAKE = /(^|\/)(GNUmakefile|makefile|Makefile|[^/]+\.mk)$/;
const GO = /(^|\/)(go\.mod|go\.work)$/;
const GRADLE = /(^|\/)(build\.gradle(\.kts)?|settings\.gradle(\.kts)?|gradle\.properties|gradlew(\.bat)?|libs\.versions\.toml)$|(^|\/)gradle\/wrapper\//;
const ESLINT = /(^|\/)(eslint\.config\.[cm]?[jt]s|\.eslintrc(\.\w+)?|\.eslintignore)$/;
const BIOME = /(^|\/)biome\.jsonc?$/;
const VITEST = /(^|\/)(vite|vitest)\.(config|workspace|setup)[^/]*$/;

const CONFIG_FILES: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(PACKAGE_RUNNERS.map((name) => [name, /(^|\/)(turbo|nx|lerna|rush)\.json$/])),
  vitest: VITEST, vite: VITEST,
  jest: /(^|\/)(jest\.(config|setup|preset)[^/]*|babel\.config\.[^/]+|\.babelrc)$/,
  mocha: /(^|\/)\.mocharc(\.\w+)?$/,
  ava: /(^|\/)ava\.config\.[^/]+$/,
  playwright: /(^|\/)playwright\.config\.[^/]+$/,
  cypress: /(^|\/)cypress\.(config\.[^/]+|json)$/,
  eslint: ESLINT, biome: BIOME,
  tsc: /(^|\/)tsconfig[^/]*\.json$/, 'vue-tsc': /(^|\/)tsconfig[^/]*\.json$/,
  prettier: /(^|\/)(\.prettierrc(\.\w+)?|prettier\.config\.[^/]+|\.prettierignore)$/,
  deno: /(^|\/)deno\.jsonc?$/,
  pytest: /(^|\/)(conftest\.py|pytest\.ini|pyproject\.toml|setup\.cfg|tox\.ini)$/, 'py.test': /(^|\/)(conftest\.py|pytest\.ini|pyproject\.toml|setup\.cfg|tox\.ini)$/,
  tox: PYTHON_PROJECT, nox: /(^|\/)(noxfile\.py|pyproject\.toml)$/,
  ruff: /(^|\/)(\.?ruff\.toml|pyproject\.toml)$/, mypy: /(^|\/)(\.?mypy\.ini|pyproject\.toml|setup\.cfg)$/, flake8: /(^|\/)(\.flake8|setup\.cfg|tox\.ini)$/, pylint: /(^|\/)(\.?pylintrc|pyproject\.toml)$/, pyright: /(^|\/)(pyrightconfig\.json|pyproject\.toml)$/, black: PYTHON_PROJECT,
  unittest: PYTHON_PROJECT, poetry: PYTHON_PROJECT, hatch: PYTHON_PROJECT, uv: PYTHON_PROJECT, 'pre-commit': /(^|\/)\.pre-commit-config\.yaml$/,
  cargo: CARGO, rustc: CARGO, clippy: CARGO,
  make: MAKE, gmake: MAKE, just: /(^|\/)(\.?justfile|[^/]+\.just)$/i, task: /(^|\/)Taskfile(\.dist)?\.ya?ml$/i,
  go: GO, gotestsum: GO, 'golangci-lint': /(^|\/)\.golangci\.(ya?ml|toml|json)$/, staticcheck: /(^|\/)staticcheck\.conf$/,
  rake: /(^|\/)Rakefile$/, rspec: /(^|\/)\.rspec$/, rubocop: /(^|\/)\.rubocop(_todo)?\.yml$/,
  composer: /(^|\/)composer\.json$/, phpunit: /(^|\/)phpunit\.xml(\.dist)?$/, phpstan: /(^|\/)phpstan[^/]*\.neon(\.dist)?$/,
  gradle: GRADLE, gradlew: GRADLE, mvn: /(^|\/)(pom\.xml|mvnw)$/, mvnw: /(^|\/)(pom\.xml|mvnw)$/,
  dotnet: /(^|\/)([^/]+\.(csproj|fsproj|sln|slnx|props|targets)|global\.json)$/, ctest: /(^|\/)CMakeLists\.txt$/, cmake: /(^|\/)(CMakeLists\.txt|[^/]+\.cmake)$/, meson: /(^|\/)meson\.build$/,
  bazel: /(^|\/)(BUILD|WORKSPACE|MODULE)(\.bazel)?$|(^|\/)\.bazelrc$/, mix: /(^|\/)(mix\.exs|\.credo\.exs)$/, swift: /(^|\/)Package\.swift$/, dart: /(^|\/)(pubspec|analysis_options)\.yaml$/, flutter: /(^|\/)(pubspec|analysis_options)\.yaml$/,
};

/** Manifests that a package runner reads whatever script it is told. */
export const PACKAGE_MANIFEST = NODE_PACKAGE;
