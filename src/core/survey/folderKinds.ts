import { languageOf } from '../prompt/languages.ts';
import type { FilePath, FolderPath } from '../ids.ts';
import { baseName } from '../paths.ts';

/** What a folder's name says about what it holds, where that is a convention everybody knows. */
type FolderKind = 'tests' | 'fixtures' | 'docs' | 'examples' | 'benchmarks' | 'assets' | 'generated' | 'vendored' | 'tooling' | 'hidden' | 'source';

export function folderKind(folder: FolderPath): FolderKind {
  const name = baseName(folder).toLowerCase();
  for (const [kind, pattern] of KINDS) if (pattern.test(name)) return kind;
  return 'source';
}

/** The kind of the first folder on the way from `above` down that is not source: what lies in a test folder is tests. */
export function kindBelow(above: FolderPath, folder: FolderPath): FolderKind {
  const rest = above === '' ? folder : folder.slice(above.length + 1);
  const parts = rest === '' ? [] : rest.split('/');
  for (const part of parts) {
    const kind = folderKind(part as FolderPath);
    if (kind !== 'source') return kind;
  }
  return 'source';
}

/** Not worth a look inside: nothing in there tells what a project is. */
export function isOpaque(kind: FolderKind): boolean {
  return kind === 'generated' || kind === 'vendored' || kind === 'fixtures' || kind === 'assets';
}

/** Source that people write and others use: no test, no configuration, no declaration of something else. */
export function isSourceFile(path: FilePath): boolean {
  const name = baseName(path);
  const language = languageOf(path);
  return language !== null && !NO_SOURCE.includes(language) && !isTestFile(path) && !/\.(config|conf|setup|stories|story|bench|d)\.[cm]?[jt]sx?$|^\.|^(conftest|setup|noxfile|manage)\.py$|^(Gulpfile|Gruntfile)\.|\.min\.js$|[._-](generated|gen|pb)\.\w+$|_pb2(_grpc)?\.py$|^build\.rs$/.test(name);
}

export function isTestFile(path: FilePath): boolean {
  return /(\.|_|-)(test|tests|spec|specs|e2e)(-d)?\.[\w.]+$|^test_.*\.py$|^tests?\.(rs|py|[cm]?[jt]s)$|Tests?\.(java|kt|cs|swift)$|_spec\.rb$/.test(baseName(path));
}

/** Style, markup and data languages have no API to speak of. */
const NO_SOURCE = ['CSS', 'SCSS', 'Less', 'HTML', 'SQL', 'Protocol Buffers', 'GraphQL', 'Terraform'];

const KINDS: readonly (readonly [FolderKind, RegExp])[] = [
  ['hidden', /^\./],
  ['vendored', /^(node_modules|vendor|vendors|third[_-]?party|thirdparty|3rdparty|external|externals|bower_components|deps)$/],
  ['generated', /^(dist|build|out|output|target|coverage|__pycache__|generated|__generated__|gen|\.next|site-packages|lcov-report|storybook-static)$/],
  ['fixtures', /^(fixtures?|__fixtures__|testdata|test-data|test_data|snapshots?|__snapshots__|__mocks__|mocks?|golden|goldens|cassettes|samples?-data)$/],
  ['tests', /^(tests?|__tests?_?.*__|specs?|e2e|integration-tests?|unit-tests?|test-utils|testing-utils|cypress)$|^(integration|unit|stress|smoke|functional|system|acceptance|regression|load|ui|api|e2e)[-_]tests?$|^tests?[-_]/],
  ['docs', /^(docs?|documentation|website|wiki|man)$|^docs?[-_]/],
  ['examples', /^(examples?|samples?|demos?|playgrounds?|sandbox(es)?|tutorials?|cookbook|templates?)$|^template-|[-_](examples?|samples?|demos?|playground)$/],
  ['benchmarks', /^(bench|benches|(__)?benchmarks?(__)?|perf|benchsuite|fuzz)$/],
  ['assets', /^(assets?|static|public|images?|imgs?|icons?|media|fonts?|locales?|i18n|translations|resources?|svgs?|logos?)$/],
  ['tooling', /^(scripts?|tools?|bin|ci|hack|devtools?|config|configs?|etc|pkg-config|packaging|patches|release|deploy(ment)?|docker|infra|complete|completions?)$/],
];
