/**
 * The environment of a command of the repository: what builds and tests need of the person's, by name, and nothing else.
 * Keys, tokens and agents (ssh, gpg, cloud) are in none of these, no variable of git, which could lead it elsewhere, and
 * neither the person's screen nor the folder of sockets of their session.
 */
export function commandEnvironment(inherited: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(inherited).filter((entry): entry is [string, string] => entry[1] !== undefined && isKept(entry[0], entry[1])));
}

function isKept(name: string, value: string): boolean {
  const upper = name.toUpperCase();
  // Without a proxy no registry is reached; with a password in it, it is a secret.
  if (PROXIES.has(upper)) return !value.includes('@');
  return (NAMES.has(upper) || upper.startsWith('LC_')) && !holdsPassword(value);
}

/** `https://user:password@registry`. */
function holdsPassword(value: string): boolean {
  return /:\/\/[^/\s]*@/.test(value);
}

const PROXIES: ReadonlySet<string> = new Set(['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY']);

const NAMES: ReadonlySet<string> = new Set([
  'PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TERM', 'TZ', 'TMPDIR', 'TEMP', 'TMP', 'HOSTNAME',
  'XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_DATA_DIRS',
  'SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE',
  'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'LIBRARY_PATH', 'CPATH', 'C_INCLUDE_PATH', 'PKG_CONFIG_PATH', 'CC', 'CXX', 'MANPATH', 'DEVELOPER_DIR', 'SDKROOT', 'SCCACHE_DIR', 'CCACHE_DIR',
  'NVM_DIR', 'NVM_BIN', 'FNM_DIR', 'FNM_MULTISHELL_PATH', 'VOLTA_HOME', 'N_PREFIX', 'PNPM_HOME', 'COREPACK_HOME', 'BUN_INSTALL', 'DENO_DIR', 'DENO_INSTALL', 'NODE_PATH', 'TURBO_CACHE_DIR', 'PLAYWRIGHT_BROWSERS_PATH', 'CHROME_BIN', 'PUPPETEER_EXECUTABLE_PATH', 'ELECTRON_OVERRIDE_DIST_PATH',
  'CARGO_HOME', 'RUSTUP_HOME', 'RUSTUP_TOOLCHAIN', 'GOPATH', 'GOROOT', 'GOBIN', 'GOCACHE', 'GOMODCACHE', 'GOPROXY', 'GOFLAGS', 'GOTOOLCHAIN',
  'PYENV_ROOT', 'PYENV_VERSION', 'VIRTUAL_ENV', 'CONDA_PREFIX', 'CONDA_DEFAULT_ENV', 'CONDA_EXE', 'MAMBA_ROOT_PREFIX', 'PYTHONPATH', 'UV_CACHE_DIR', 'PIP_CACHE_DIR', 'POETRY_HOME', 'POETRY_CACHE_DIR',
  'RBENV_ROOT', 'RBENV_VERSION', 'GEM_HOME', 'GEM_PATH', 'BUNDLE_PATH', 'PERL5LIB', 'PHP_INI_SCAN_DIR', 'COMPOSER_HOME', 'MIX_HOME', 'HEX_HOME', 'OPAMROOT', 'GHCUP_INSTALL_BASE_PREFIX', 'SWIFTENV_ROOT', 'FLUTTER_ROOT',
  'JAVA_HOME', 'JDK_HOME', 'MAVEN_HOME', 'M2_HOME', 'GRADLE_HOME', 'GRADLE_USER_HOME', 'SDKMAN_DIR', 'KOTLIN_HOME', 'ANDROID_HOME', 'ANDROID_SDK_ROOT', 'ANDROID_NDK_HOME', 'DOTNET_ROOT', 'DOTNET_CLI_HOME', 'NUGET_PACKAGES',
  'ASDF_DIR', 'ASDF_DATA_DIR', 'MISE_DATA_DIR', 'MISE_CONFIG_DIR', 'RTX_DATA_DIR', 'NIX_PATH', 'NIX_PROFILES', 'NIX_SSL_CERT_FILE', 'HOMEBREW_PREFIX', 'HOMEBREW_CELLAR', 'HOMEBREW_REPOSITORY',
  // Windows needs these to start anything.
  'SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'COMSPEC', 'PATHEXT', 'USERPROFILE', 'USERNAME', 'HOMEDRIVE', 'HOMEPATH', 'APPDATA', 'LOCALAPPDATA', 'PROGRAMDATA', 'PROGRAMFILES', 'PROGRAMFILES(X86)', 'PROGRAMW6432', 'COMMONPROGRAMFILES', 'NUMBER_OF_PROCESSORS', 'PROCESSOR_ARCHITECTURE', 'OS',
]);
