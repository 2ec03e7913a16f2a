/** Whether commands of a repository run in a sandbox of the operating system. */
export type SandboxStatus =
  /** It is being tried out. */
  | { readonly kind: 'starting' }
  | { readonly kind: 'ready' }
  /** By the person's setting. */
  | { readonly kind: 'off' }
  | { readonly kind: 'unavailable'; readonly why: string; /** What to do about it: a command, or words. */ readonly next: string };

/** For views, in full; null where there is nothing to say yet. */
export function sandboxWords(status: SandboxStatus): string | null {
  switch (status.kind) {
    case 'starting': return null;
    case 'ready': return 'Commands run in a sandbox.';
    case 'off': return 'The sandbox is off: each command asks.';
    case 'unavailable': return `No sandbox: each command asks. ${status.why} ${status.next}`;
  }
}

/** What a sandbox needs of a Linux system, by the name of the program. */
export type SandboxProgram = 'bwrap' | 'socat';

/** How to come by what is missing. `distribution`: the `ID` and `ID_LIKE` of /etc/os-release. */
export function installAdvice(missing: readonly SandboxProgram[], distribution: readonly string[]): string {
  const packages = missing.map((program) => PACKAGES[program]).join(' ');
  const known = INSTALLERS.find(({ ids }) => ids.some((id) => distribution.includes(id)));
  return known === undefined ? `Install ${packages.replaceAll(' ', ' and ')} with your system’s package manager, then reload the window.` : `Install what is missing, then reload the window: ${known.command} ${packages}`;
}

const PACKAGES: Readonly<Record<SandboxProgram, string>> = { bwrap: 'bubblewrap', socat: 'socat' };

const INSTALLERS: readonly { readonly ids: readonly string[]; readonly command: string }[] = [
  { ids: ['debian', 'ubuntu'], command: 'sudo apt install' },
  { ids: ['fedora', 'rhel', 'centos'], command: 'sudo dnf install' },
  { ids: ['arch'], command: 'sudo pacman -S' },
  { ids: ['opensuse', 'suse'], command: 'sudo zypper install' },
  { ids: ['alpine'], command: 'sudo apk add' },
];

/** What /etc/os-release calls the system and those that it is like. */
export function distributionOf(osRelease: string): readonly string[] {
  return osRelease.split('\n').flatMap((line) => /^(?:ID|ID_LIKE)=(.*)$/.exec(line)?.[1]?.replaceAll(/["']/g, '').split(/\s+/) ?? []);
}

/** Why a sandbox that has all its programs does not start, from what it printed. */
export function failureAdvice(printed: string): { readonly why: string; readonly next: string } {
  const end = printed.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
  if (/uid map|user namespace|CLONE_NEWUSER|No permissions to creat|loopback: Failed|Operation not permitted/i.test(printed)) {
    return { why: `The system does not let bubblewrap make a namespace (${end}).`, next: 'On Ubuntu 23.10 and newer allow it with an AppArmor profile for bwrap, or: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0. A container must be started with more rights. Then reload the window.' };
  }
  return { why: `It does not start (${end === '' ? 'it printed nothing' : end}).`, next: 'Reload the window to try again.' };
}
