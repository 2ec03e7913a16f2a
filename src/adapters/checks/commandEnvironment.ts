/** What toolchains and shells need. Everything else of the person's environment stays out, keys and tokens with it. */
const NAMES: ReadonlySet<string> = new Set([
  'PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TERM', 'COLORTERM', 'TZ', 'TMPDIR', 'TEMP', 'TMP', 'HOSTNAME',
  'JAVA_HOME', 'JDK_HOME', 'MAVEN_HOME', 'M2_HOME', 'GRADLE_HOME', 'GRADLE_USER_HOME', 'KOTLIN_HOME', 'ANDROID_HOME', 'ANDROID_SDK_ROOT', 'ANDROID_NDK_HOME', 'SDKMAN_DIR',
  'GOPATH', 'GOROOT', 'GOBIN', 'GOCACHE', 'GOMODCACHE', 'GOTOOLCHAIN', 'CARGO_HOME', 'RUSTUP_HOME', 'RUSTUP_TOOLCHAIN', 'CARGO_TARGET_DIR',
  'NVM_DIR', 'NVM_BIN', 'FNM_DIR', 'FNM_MULTISHELL_PATH', 'VOLTA_HOME', 'PNPM_HOME', 'BUN_INSTALL', 'DENO_DIR', 'COREPACK_HOME', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR',
  'PYENV_ROOT', 'VIRTUAL_ENV', 'CONDA_PREFIX', 'CONDA_DEFAULT_ENV', 'CONDA_EXE', 'MAMBA_ROOT_PREFIX', 'UV_CACHE_DIR', 'PIP_CACHE_DIR', 'POETRY_HOME',
  'GEM_HOME', 'GEM_PATH', 'RBENV_ROOT', 'RBENV_VERSION', 'COMPOSER_HOME', 'DOTNET_ROOT', 'DOTNET_CLI_HOME', 'NUGET_PACKAGES', 'ASDF_DIR', 'ASDF_DATA_DIR', 'MISE_DATA_DIR',
  'NIX_PATH', 'NIX_PROFILES', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'PKG_CONFIG_PATH', 'CC', 'CXX', 'DEVELOPER_DIR', 'SDKROOT',
  'XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_RUNTIME_DIR',
  'SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'COMSPEC', 'PATHEXT', 'APPDATA', 'LOCALAPPDATA', 'PROGRAMDATA', 'PROGRAMFILES', 'PROGRAMFILES(X86)', 'PROGRAMW6432', 'COMMONPROGRAMFILES',
  'USERPROFILE', 'USERNAME', 'HOMEDRIVE', 'HOMEPATH', 'NUMBER_OF_PROCESSORS', 'PROCESSOR_ARCHITECTURE', 'OS',
]);

/** A proxy without which no registry is reached; with a password in it, it is a secret. */
const PROXIES = /^(?:https?|all|no)_proxy$/i;

/** The environment of a check, hook or setup script: an allow-list over the person's login environment. */
export function commandEnvironment(login: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept = Object.entries(login).filter((entry): entry is [string, string] => entry[1] !== undefined && isKept(entry[0], entry[1]));
  return Object.fromEntries(kept);
}

function isKept(name: string, value: string): boolean {
  const upper = name.toUpperCase();
  return NAMES.has(upper) || upper.startsWith('LC_') || (PROXIES.test(name) && !value.includes('@'));
}
