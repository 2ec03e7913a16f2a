/**
 * Whether a file may hold secrets, by its name: read tools ask before they show a copied-in one to a model, and a first
 * commit leaves it out unless it is picked. Too many rather than too few, since asking costs a click and showing cannot
 * be undone.
 */
export function looksSecret(path: string): boolean {
  const parts = path.toLowerCase().split('/');
  const name = parts.at(-1) ?? '';
  if (parts.slice(0, -1).some((folder) => SECRET_FOLDERS.has(folder))) return true;
  if (/\.(example|sample|template|dist)$/.test(name)) return false;
  return NAMES.some((pattern) => pattern.test(name));
}

const SECRET_FOLDERS: ReadonlySet<string> = new Set(['.ssh', '.aws', '.gnupg', '.kube', '.docker', '.azure', '.gcloud', 'secrets', '.secrets', 'credentials']);

const NAMES: readonly RegExp[] = [
  /^\.env($|[.-])/, /\.env$/, /^\.envrc$/,
  /\.(pem|key|p8|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg|ovpn|mobileprovision|der|crt\.key)$/,
  /^id_(rsa|dsa|ecdsa|ed25519)/,
  /^\.(npmrc|netrc|pypirc|pgpass|my\.cnf|htpasswd|dockercfg|git-credentials|yarnrc\.yml|terraformrc|vault-token|s3cfg|boto)$/, /^_netrc$/,
  /credential|secret|password|passwd|token|private[-_.]?key|api[-_.]?key|service[-_.]?account/,
  /^(auth|kubeconfig|master\.key|google-services|local\.settings|appsettings\.(development|local))(\.(json|ya?ml|toml|xml|ini))?$/,
  /\.(tfvars|tfstate)(\.json|\.backup)?$/,
];
