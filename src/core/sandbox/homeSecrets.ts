/**
 * What of a home folder no command of a repository reads: keys, tokens and what holds them. Relative to home; each may be
 * a file or a folder. What tools cannot do without (their configuration, their caches) is left readable.
 */
export function homeSecrets(platform: string): readonly string[] {
  return [...EVERYWHERE, ...(platform === 'darwin' ? MACOS : LINUX)];
}

const EVERYWHERE: readonly string[] = [
  // Keys and passwords.
  '.ssh', '.gnupg', '.pki', '.password-store', '.netrc', '.authinfo', '.authinfo.gpg', '.pgpass', '.my.cnf', '.mylogin.cnf', '.vault-token', '.git-credentials', '.config/git/credentials', '.op', '.config/op', '.step', '.local/share/mkcert', '.vault_pass', '.age', '.config/age', '.config/sops',
  // Clouds, containers, clusters.
  '.aws', '.azure', '.config/gcloud', '.boto', '.s3cfg', '.config/rclone', '.config/doctl', '.config/hcloud', '.config/linode-cli', '.oci', '.bluemix', '.docker', '.config/containers', '.kube', '.config/helm', '.terraform.d', '.terraformrc', '.pulumi', '.fly', '.config/flyctl', '.netlify', '.config/netlify', '.config/vercel', '.local/share/com.vercel.cli', '.config/heroku', '.config/wrangler', '.wrangler', '.config/stripe', '.sentryclirc', '.config/configstore', '.databrickscfg', '.dbt/profiles.yml', '.snowsql', '.kaggle', '.cloudflared', '.tsh', '.minikube', '.config/ngrok', '.ngrok2',
  // Registries and forges.
  '.npmrc', '.yarnrc.yml', '.config/pnpm/rc', '.bunfig.toml', '.pypirc', '.pip/pip.conf', '.config/pip/pip.conf', '.condarc', '.config/pypoetry/auth.toml', '.cargo/credentials', '.cargo/credentials.toml', '.m2/settings.xml', '.m2/settings-security.xml', '.gradle/gradle.properties', '.gem/credentials', '.local/share/gem/credentials', '.bundle/config', '.composer/auth.json', '.config/composer/auth.json', '.nuget/NuGet', '.config/NuGet', '.hex/hex.config', '.config/gh', '.config/hub', '.config/glab-cli', '.config/tea',
  // Agents and models.
  '.claude', '.claude.json', '.codex', '.gemini', '.config/github-copilot', '.copilot', '.local/share/opencode', '.config/opencode', '.config/goose', '.continue', '.codeium', '.anthropic', '.config/Claude', '.config/zed', '.aider.conf.yml', '.config/openai', '.openai', '.huggingface/token', '.cache/huggingface/token',
  // What was typed.
  '.bash_history', '.zsh_history', '.zsh_sessions', '.zhistory', '.irb_history', '.local/state/bash', '.config/nushell/history.txt', '.ipython/profile_default/history.sqlite', '.jupyter', '.local/share/atuin', '.histfile', '.local/share/fish', '.python_history', '.node_repl_history', '.psql_history', '.mysql_history', '.sqlite_history', '.rediscli_history', '.lesshst', '.viminfo',
  // VS Code's own, which hold state of extensions, history of files and tokens of its server.
  '.vscode-server', '.vscode-server-insiders', '.vscode-remote', '.vscodium-server', '.cursor', '.cursor-server', '.windsurf',
  '.mozilla', '.thunderbird', '.config/filezilla', '.config/remmina', '.Xauthority', '.bitcoin', '.electrum', '.android/adbkey',
];

const LINUX: readonly string[] = [
  '.local/share/keyrings', '.local/share/kwalletd', '.gnome2/keyrings', '.config/Code', '.config/Code - Insiders', '.config/VSCodium', '.config/Cursor',
  '.config/google-chrome', '.config/chromium', '.config/BraveSoftware', '.config/microsoft-edge', '.config/vivaldi', '.config/opera', '.cache/google-chrome', '.cache/chromium', '.cache/mozilla', '.config/Bitwarden', '.config/1Password', '.config/keepassxc', '.config/Signal', '.config/Slack', '.config/discord', '.var/app', 'snap',
];

const MACOS: readonly string[] = [
  'Library/Keychains', 'Library/Cookies', 'Library/Mail', 'Library/Messages', 'Library/Safari', 'Library/Group Containers', 'Library/Containers',
  'Library/Application Support/Code', 'Library/Application Support/Code - Insiders', 'Library/Application Support/VSCodium', 'Library/Application Support/Cursor',
  'Library/Application Support/Google', 'Library/Application Support/Chromium', 'Library/Application Support/BraveSoftware', 'Library/Application Support/Microsoft Edge', 'Library/Application Support/Firefox', 'Library/Application Support/Arc',
  'Library/Application Support/1Password', 'Library/Application Support/Bitwarden', 'Library/Application Support/Slack', 'Library/Application Support/Signal',
];
