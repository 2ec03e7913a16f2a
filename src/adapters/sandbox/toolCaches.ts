import path from 'node:path';

interface CachesRequest {
  readonly caches: string;
  readonly worktree: string;
  readonly home: string;
  /** What the command gets besides. */
  readonly inherited: Readonly<Record<string, string>>;
  readonly exists: (path: string) => boolean;
}

/**
 * Points tools at caches of the repository's own. The person's are never written, where a poisoned package would reach
 * everything that they build. What is installed rather than cached, and holds no secret, is still read where it is.
 */
export function toolCacheEnvironment({ caches, worktree, home, inherited, exists }: CachesRequest): Record<string, string> {
  const at = (name: string): string => path.join(caches, name);
  const theirs = (variable: string, ...usual: readonly string[]): Record<string, string> => {
    const found = inherited[variable] ?? usual.map((place) => path.join(home, place)).find(exists);
    return found === undefined ? {} : { [variable]: found };
  };
  const more = (variable: string, words: string): string => [inherited[variable], words].filter((part) => part !== undefined && part !== '').join(' ');
  return {
    XDG_CACHE_HOME: at('xdg'), XDG_STATE_HOME: at('state'),
    npm_config_cache: at('npm'), npm_config_update_notifier: 'false', pnpm_config_store_dir: at('pnpm'),
    // The older name, which npm warns of each time; without either, pnpm would put its store into the worktree.
    ...(['pnpm-lock.yaml', 'pnpm-workspace.yaml'].some((name) => exists(path.join(worktree, name))) ? { npm_config_store_dir: at('pnpm') } : {}),
    YARN_CACHE_FOLDER: at('yarn'), YARN_GLOBAL_FOLDER: at('yarn-berry'), YARN_ENABLE_TELEMETRY: '0', BUN_INSTALL_CACHE_DIR: at('bun'), DENO_DIR: at('deno'), TURBO_CACHE_DIR: at('turbo'),
    CARGO_HOME: at('cargo'), SCCACHE_DIR: at('sccache'), CCACHE_DIR: at('ccache'),
    // Without it what go keeps there could not be removed again.
    GOPATH: at('go'), GOMODCACHE: at('go/pkg/mod'), GOCACHE: at('go-build'), GOFLAGS: more('GOFLAGS', '-modcacherw'), GOLANGCI_LINT_CACHE: at('golangci-lint'),
    PIP_CACHE_DIR: at('pip'), UV_CACHE_DIR: at('uv'), UV_LINK_MODE: 'copy', POETRY_CACHE_DIR: at('poetry'), PIPENV_CACHE_DIR: at('pipenv'), PRE_COMMIT_HOME: at('pre-commit'), MPLCONFIGDIR: at('matplotlib'),
    GRADLE_USER_HOME: at('gradle'), MAVEN_OPTS: more('MAVEN_OPTS', `-Dmaven.repo.local=${at('m2')} -Dmaven.repo.local.tail=${path.join(home, '.m2/repository')}`),
    NUGET_PACKAGES: at('nuget'), DOTNET_CLI_HOME: at('dotnet'), DOTNET_CLI_TELEMETRY_OPTOUT: '1',
    BUNDLE_USER_HOME: at('bundle'), GEM_SPEC_CACHE: at('gem'), COMPOSER_CACHE_DIR: at('composer'), HEX_HOME: at('hex'), PUB_CACHE: at('pub'),
    ...theirs('RUSTUP_HOME', '.rustup'), ...theirs('COREPACK_HOME', '.cache/node/corepack'), ...theirs('PLAYWRIGHT_BROWSERS_PATH', '.cache/ms-playwright', 'Library/Caches/ms-playwright'),
    ...theirs('CYPRESS_CACHE_FOLDER', '.cache/Cypress'), ...theirs('PUPPETEER_CACHE_DIR', '.cache/puppeteer'), ...theirs('HF_HUB_CACHE', '.cache/huggingface/hub'), ...theirs('GRADLE_RO_DEP_CACHE', '.gradle/caches'),
  };
}
