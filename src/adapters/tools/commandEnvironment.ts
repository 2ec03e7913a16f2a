import path from 'node:path';

/**
 * The environment of an agent's command: what builds and tests need, by name, and nothing else of ours. Keys, tokens
 * and agents (ssh, gpg, cloud) are in none of these, and no variable of git, which could lead it elsewhere.
 */
export function commandEnvironment(inherited: NodeJS.ProcessEnv, options: { readonly worktree: string; /** Put first on the path; null where there is no guard. */ readonly guard: string | null }): Record<string, string> {
  const kept = Object.entries(inherited).flatMap(([name, value]) => (value !== undefined && isAllowed(name) && !holdsPassword(value) ? [[name, value] as const] : []));
  const environment: Record<string, string> = Object.fromEntries(kept);
  const pathName = Object.keys(environment).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
  if (options.guard !== null) environment[pathName] = [options.guard, environment[pathName]].filter((p) => p !== undefined && p !== '').join(path.delimiter);
  return {
    ...environment,
    // A repository above the worktree is none of the agent's business.
    GIT_CEILING_DIRECTORIES: path.dirname(options.worktree),
    // Nothing may wait for a person: no prompt, no editor, no pager.
    GIT_TERMINAL_PROMPT: '0', GIT_EDITOR: 'true', GIT_PAGER: 'cat', EDITOR: 'true', VISUAL: 'true', PAGER: 'cat',
    GIT_OPTIONAL_LOCKS: '0',
    TERM: 'dumb', NO_COLOR: '1',
  };
}

function isAllowed(name: string): boolean {
  const upper = name.toUpperCase();
  return ALLOWED.has(upper) || upper.startsWith('LC_');
}

/** `https://user:password@proxy`: a proxy's address may be kept, the person's password in it may not. */
function holdsPassword(value: string): boolean {
  return /:\/\/[^/\s]*@/.test(value);
}

const ALLOWED: ReadonlySet<string> = new Set([
  'PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR', 'TEMP', 'TMP', 'HOSTNAME', 'DISPLAY',
  'XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_DATA_DIRS',
  'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE',
  'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'LIBRARY_PATH', 'CPATH', 'C_INCLUDE_PATH', 'PKG_CONFIG_PATH', 'CC', 'CXX', 'MANPATH',
  'NVM_DIR', 'NVM_BIN', 'FNM_DIR', 'FNM_MULTISHELL_PATH', 'VOLTA_HOME', 'N_PREFIX', 'PNPM_HOME', 'COREPACK_HOME', 'BUN_INSTALL', 'DENO_DIR', 'DENO_INSTALL', 'NODE_PATH', 'PLAYWRIGHT_BROWSERS_PATH', 'CHROME_BIN', 'PUPPETEER_EXECUTABLE_PATH', 'ELECTRON_OVERRIDE_DIST_PATH',
  'CARGO_HOME', 'RUSTUP_HOME', 'RUSTUP_TOOLCHAIN', 'GOPATH', 'GOROOT', 'GOBIN', 'GOCACHE', 'GOMODCACHE', 'GOPROXY', 'GOFLAGS', 'GOTOOLCHAIN',
  'PYENV_ROOT', 'PYENV_VERSION', 'VIRTUAL_ENV', 'CONDA_PREFIX', 'CONDA_DEFAULT_ENV', 'CONDA_EXE', 'PYTHONPATH', 'UV_CACHE_DIR', 'PIP_CACHE_DIR', 'POETRY_HOME', 'POETRY_CACHE_DIR',
  'RBENV_ROOT', 'RBENV_VERSION', 'GEM_HOME', 'GEM_PATH', 'BUNDLE_PATH', 'JAVA_HOME', 'JDK_HOME', 'MAVEN_HOME', 'M2_HOME', 'GRADLE_HOME', 'GRADLE_USER_HOME', 'SDKMAN_DIR', 'KOTLIN_HOME', 'ANDROID_HOME', 'ANDROID_SDK_ROOT', 'DOTNET_ROOT', 'NUGET_PACKAGES',
  'ASDF_DIR', 'ASDF_DATA_DIR', 'MISE_DATA_DIR', 'MISE_CONFIG_DIR', 'RTX_DATA_DIR', 'NIX_PATH', 'NIX_PROFILES', 'NIX_SSL_CERT_FILE', 'HOMEBREW_PREFIX', 'HOMEBREW_CELLAR', 'HOMEBREW_REPOSITORY', 'SCCACHE_DIR', 'CCACHE_DIR', 'TURBO_CACHE_DIR', 'FLUTTER_ROOT', 'SWIFTENV_ROOT', 'GHCUP_INSTALL_BASE_PREFIX', 'OPAMROOT', 'PERL5LIB', 'PHP_INI_SCAN_DIR', 'COMPOSER_HOME', 'MIX_HOME', 'HEX_HOME',
  // Windows needs these to start anything.
  'SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'COMSPEC', 'PATHEXT', 'USERPROFILE', 'USERNAME', 'HOMEDRIVE', 'HOMEPATH', 'APPDATA', 'LOCALAPPDATA', 'PROGRAMDATA', 'PROGRAMFILES', 'PROGRAMFILES(X86)', 'PROGRAMW6432', 'COMMONPROGRAMFILES', 'NUMBER_OF_PROCESSORS', 'PROCESSOR_ARCHITECTURE', 'OS',
]);
