import { Refused } from '../../../core/refusal.ts';
import type { RefusalReason } from '../../../core/refusal.ts';

export type GitFailureKind =
  | 'git-missing' | 'git-too-old' | 'folder-missing' | 'dubious-ownership' | 'not-a-repository' | 'lock-exists'
  | 'unknown-revision' | 'missing-object' | 'filter-missing' | 'path-too-long' | 'disk-full' | 'permission-denied'
  | 'not-authorised' | 'not-trusted' | 'remote-missing' | 'no-network' | 'push-refused'
  | 'ref-moved' | 'timed-out' | 'cancelled' | 'other';

/** A call of git that did not do what it should. `kind` is finer than the refusal's reason; `stderr` is git's own text. */
export class GitFailure extends Refused {
  readonly kind: GitFailureKind;
  readonly args: readonly string[];
  readonly exitCode: number | null;
  readonly stderr: string;

  constructor(kind: GitFailureKind, call: { readonly args: readonly string[]; readonly exitCode?: number | null; readonly stderr?: string }, options?: ErrorOptions) {
    const stderr = call.stderr ?? '';
    super({ reason: reasons[kind], ...words(kind, commandName(call.args), stderr) }, options);
    this.name = 'GitFailure';
    this.kind = kind;
    this.args = call.args;
    this.exitCode = call.exitCode ?? null;
    this.stderr = stderr;
  }
}

/** Reads what git printed (in English: LC_ALL=C). The only place where git's text is matched. */
export function failureKind(stderr: string): GitFailureKind {
  return patterns.find(([, pattern]) => pattern.test(stderr))?.[0] ?? 'other';
}

/** What git could not run: `git-lfs` of `git-lfs filter-process: git-lfs: command not found`. Null where its text does not tell. */
export function missingFilter(stderr: string): string | null {
  const found = /external filter '([^']+)' failed|cannot (?:run|fork to run) ([^:\n]+): No such file|([^\s:]+): (?:command )?not found/.exec(stderr);
  return found?.[1] ?? found?.[2] ?? found?.[3] ?? null;
}

/** Most telling first: one failed call often prints several lines that would match. */
const patterns: readonly (readonly [GitFailureKind, RegExp])[] = [
  ['dubious-ownership', /dubious ownership|unsafe repository/],
  ['disk-full', /No space left on device|Disk quota exceeded|disk full/i],
  ['filter-missing', /(?:clean|smudge|external) filter .* failed|smudge filter .* failed|filter-process.*not found|cannot (?:run|fork to run) .*filter|'git-lfs' was not found|git-lfs.*not found|Error downloading object|external filter/],
  ['path-too-long', /File ?name too long|path too long/i],
  ['lock-exists', /Unable to create '.*\.lock': File exists|could not lock|Another git process seems to be running|cannot lock ref '.*': Unable to create/],
  ['ref-moved', /cannot lock ref '.*': (?:is at|reference already exists|unable to resolve)|but expected/],
  ['missing-object', /unable to read (?:sha1 file|tree|blob|commit)|missing (?:blob|tree|commit) object|bad object|object file .* is empty|could not fetch .* from promisor remote|unable to find remote helper/],
  ['unknown-revision', /unknown revision|bad revision|Not a valid (?:object|commit) name|Needed a single revision|ambiguous argument|invalid reference|not a tree object|invalid object name/i],
  ['not-a-repository', /not a git repository/i],
  ['push-refused', /pre-push hook declined|failed to push some refs|\[remote rejected\]|\[rejected\]/],
  // Before what a disk says: ssh has the same words for a key that is not let in.
  ['not-authorised', /Authentication failed|could not read (?:Username|Password)|terminal prompts disabled|Permission denied \((?:publickey|password|keyboard-interactive)|Host key verification failed|returned error: 40[13]|HTTP 40[13]|Invalid username or (?:password|token)/i],
  // OpenSSL's words, and those of GnuTLS, macOS and Windows.
  ['not-trusted', /SSL certificate problem|certificate verif(?:y|ication) failed|certificate subject name .* does not match|SSL: no alternative certificate subject name|SEC_E_UNTRUSTED_ROOT|CERT_TRUST_IS_UNTRUSTED_ROOT/i],
  ['no-network', /Could not resolve host|Failed to connect|Connection (?:refused|timed out|reset)|Network is unreachable|No route to host|Temporary failure in name resolution|Couldn't connect to server|Operation timed out|returned error: 5\d\d/i],
  ['remote-missing', /does not appear to be a git repository|[Rr]epository .*not found|Could not read from remote repository|No such remote|returned error: 404/],
  ['permission-denied', /Permission denied|Read-only file system|Operation not permitted/i],
];

const reasons: Record<GitFailureKind, RefusalReason> = {
  'git-missing': 'git-missing',
  'git-too-old': 'git-too-old',
  'folder-missing': 'folder-missing',
  'dubious-ownership': 'dubious-ownership',
  'not-a-repository': 'no-repository',
  'lock-exists': 'git-failed',
  'unknown-revision': 'git-failed',
  'missing-object': 'git-failed',
  'filter-missing': 'filter-missing',
  'path-too-long': 'git-failed',
  'disk-full': 'git-failed',
  'permission-denied': 'git-failed',
  'not-authorised': 'not-authorised',
  'not-trusted': 'remote-unreachable',
  'remote-missing': 'remote-unreachable',
  'no-network': 'remote-unreachable',
  'push-refused': 'push-refused',
  'ref-moved': 'branch-moved',
  'timed-out': 'git-failed',
  cancelled: 'cancelled',
  other: 'git-failed',
};

const HOW_TO_GET_GIT = ((): string => {
  switch (process.platform) {
    case 'darwin': return 'brew install git, or the installer from git-scm.com/downloads';
    case 'win32': return 'winget install --id Git.Git, or the installer from git-scm.com/downloads';
    default: return 'with your package manager; git-scm.com/downloads names newer ones for older systems';
  }
})();

function words(kind: GitFailureKind, command: string, stderr: string): { readonly message: string; readonly next: string } {
  const said = lastLines(stderr);
  const quoted = said === '' ? '' : ` Git said: ${said}`;
  switch (kind) {
    case 'git-missing':
      return { message: 'Git was not found.', next: `Install git 2.38 or newer (${HOW_TO_GET_GIT}), make sure that it is on the PATH, and reload the window.` };
    case 'git-too-old':
      return { message: `This git is too old: an accept is made with a merge that came with git 2.38.${quoted}`, next: `Update git to 2.38 or newer (${HOW_TO_GET_GIT}) and reload the window.` };
    case 'folder-missing':
      return { message: `The folder in which ${command} was to run does not exist any more.`, next: 'Open a folder that exists, or start again.' };
    case 'dubious-ownership':
      return { message: `Git does not trust this folder, since it belongs to another user.${quoted}`, next: 'If you trust it, run the command that git names (git config --global --add safe.directory …), or change the owner of the folder. Nothing was changed for you.' };
    case 'not-a-repository':
      return { message: `There is no git repository here.${quoted}`, next: 'Open a folder of a git repository, or run git init and make a first commit.' };
    case 'lock-exists':
      return { message: `Another git process holds a lock, so ${command} could not go on.${quoted}`, next: 'Wait until the other git command has ended and try again. If none runs, it left its lock file behind: remove the file that git names.' };
    case 'unknown-revision':
      return { message: `Git does not know a commit, branch or file that ${command} was asked about.${quoted}`, next: 'It may have been removed meanwhile. Fetch it again, or choose another commit.' };
    case 'missing-object':
      return { message: `An object of the repository cannot be read.${quoted}`, next: 'Run git fsck. In a shallow or partial clone, fetch what is missing first.' };
    case 'filter-missing':
      return { message: `A filter that this repository needs for its files (${missingFilter(stderr) ?? 'for example git-lfs'}) could not be run.${quoted}`, next: 'Install the program that the filter names (for Git LFS: git-lfs) and make sure that it is on the PATH.' };
    case 'path-too-long':
      return { message: `A path of this repository is too long for this place.${quoted}`, next: 'Set a shorter folder for worktrees in the settings (on Windows also: git config core.longpaths true).' };
    case 'disk-full':
      return { message: `The disk is full, so ${command} failed.${quoted}`, next: 'Free some space and try again.' };
    case 'permission-denied':
      return { message: `Git may not read or write a file.${quoted}`, next: 'Check who owns the file that git names and whether the disk is writable.' };
    case 'not-authorised':
      return { message: `The remote did not let you in, and nobody was asked for a password.${quoted}`, next: 'Run git fetch with this remote in a terminal once, so that git or ssh can ask you and remember it; then try again.' };
    case 'not-trusted':
      return { message: `The remote’s certificate is not one that this machine trusts, so nothing was sent.${quoted}`, next: 'If it is a server of your own, give git its certificate or that of who signed it: git config http.sslCAInfo with the file’s path. If it is not, somebody may stand between you and it.' };
    case 'remote-missing':
      return { message: `There is no repository at the remote’s address that you may read.${quoted}`, next: 'Check the address with git remote -v, and that you have access to it.' };
    case 'no-network':
      return { message: `The remote could not be reached.${quoted}`, next: 'Check the network and the remote’s address, then try again. Nothing was changed.' };
    case 'push-refused':
      return { message: `The push was refused.${quoted}`, next: 'Read what git said: your own pre-push hook or the remote’s rules stand against it. Nothing was changed here.' };
    case 'ref-moved':
      return { message: `A branch moved while ${command} was at work, so nothing was changed.${quoted}`, next: 'Look at where the branch is now and try again.' };
    case 'timed-out':
      return { message: `${command} took too long and was ended.${quoted}`, next: 'Try again. If it happens again, run the command in a terminal to see what it waits for.' };
    case 'cancelled':
      return { message: `${command} was cancelled.`, next: 'Start it again when you want.' };
    case 'other':
      return { message: `${command} failed.${quoted}`, next: 'Read what git said; running the same command in a terminal may tell more.' };
  }
}

function commandName(args: readonly string[]): string {
  return `git ${args.find((arg) => !arg.startsWith('-')) ?? ''}`.trim();
}

/** The end of what git printed: the cause stands there, progress before it. */
function lastLines(stderr: string): string {
  return stderr.trim().split(/\r?\n|\r/).filter((line) => line.trim() !== '').slice(-4).join(' / ').slice(-1_000);
}
