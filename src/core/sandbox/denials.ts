/** What a command in a sandbox was refused, as far as it can be told. */
export interface Refusals {
  /** `registry.example.com:443`, each once. */
  readonly hosts: readonly string[];
  /** Ports of this machine that it found closed although something listens there. */
  readonly ports: readonly number[];
  /** True where it could not write outside of what is its own. */
  readonly wroteOutside: boolean;
  /** True where it could not open a socket in the file system. */
  readonly triedSocket: boolean;
  /** True where a host that it may reach did not answer. */
  readonly unreached: boolean;
  /** True where it could not listen on a port that was in use. */
  readonly portTaken: boolean;
}

/** Hosts that are named in one answer; a crawler may have tried a thousand. */
const MOST_HOSTS = 8;

/** Lines for the agent, each beginning with `[sandbox]`: what was not permitted, and who or what could allow it. */
export function refusalNotes({ hosts, ports, unreached, wroteOutside, triedSocket, portTaken }: Refusals, may: { readonly network: 'off' | 'registries' | 'on'; readonly allowedPorts: readonly number[] }): readonly string[] {
  const shown = hosts.slice(0, MOST_HOSTS);
  return [
    ...shown.map((host) => `[sandbox] ${host} was not reachable: ${NETWORK[may.network]}`),
    ...(hosts.length > shown.length ? [`[sandbox] ${hosts.length - shown.length} more hosts were not reachable.`] : []),
    ...(unreached && hosts.length === 0 ? ['[sandbox] A host that may be reached did not answer: this machine has no way to it just now. Nothing was refused, and trying again soon will not help. Go on with what is here, and say in your report what could not be done.'] : []),
    ...ports.map((port) => may.allowedPorts.includes(port)
      ? `[sandbox] Port ${port} of this machine was closed to the command; the person has allowed it now. Run the command again.`
      : `[sandbox] Port ${port} of this machine was closed to the command, and the person has not allowed it. Go on without it.`),
    ...(wroteOutside ? ['[sandbox] Only the worktree, $TMPDIR and the tools’ caches can be written. Git is read-only here. If something else is needed, say so in your report.'] : []),
    ...(triedSocket ? ['[sandbox] Sockets in the file system cannot be opened: those of other programs (Docker, an ssh agent, a database’s file), and of its own. Between its own processes a port of 127.0.0.1 works. Go on without the others, and say in your report what could not be checked.'] : []),
    ...(portTaken && may.allowedPorts.length > 0 ? [`[sandbox] These ports lead to servers of the person’s, so no command can listen on them: ${may.allowedPorts.join(', ')}. Use another port.`] : []),
  ];
}

const NETWORK: Readonly<Record<'off' | 'registries' | 'on', string>> = {
  off: 'this repository’s commands have no network. The person can allow more with the setting worldtree.sandbox.network.',
  registries: 'this repository’s commands reach package registries only. The person can allow a host with the setting worldtree.sandbox.hosts, or all with worldtree.sandbox.network.',
  on: 'addresses of this machine itself are closed to commands, and those that tell a cloud’s machine its keys.',
};

/** Whether a failed command's output says that it met the read-only part of the system. "Permission denied" alone may be the program's own. */
export function saysReadOnly(output: string, platform: string): boolean {
  return /read-only file system|\bEROFS\b/i.test(output) || (platform === 'darwin' && /operation not permitted|\bEPERM\b/i.test(output));
}

/** Whether a failed command's output says that a socket in the file system was out of reach. */
export function saysSocket(output: string): boolean {
  return /socket: operation not permitted|connect(?:ing)? to the docker daemon|\bEPERM\b[^\n]*\.sock\b|\b(?:connect|listen) EPERM\b|\bsocket\.__init__\([^\n]*\n\s*(?:\^+\n)?PermissionError: \[Errno 1\]/i.test(output);
}

/**
 * Whether a command's output says that the sandbox's own proxy let it through and found nobody: a refusal is a 403. Of a
 * command that passed only words about the proxy itself count: a plain "502 Bad Gateway" may be the name of a test.
 */
export function saysUnreached(output: string, { failed }: { readonly failed: boolean }): boolean {
  return /\b(?:CONNECT tunnel failed, response|Tunnel connection failed:) 50[24]\b/i.test(output) || (failed && /\b50[24] (?:bad gateway|gateway time-?out)\b/i.test(output));
}

/** Whether a failed command's output says that a port on which it would listen was in use. */
export function saysPortTaken(output: string): boolean {
  return /\bEADDRINUSE\b|address already in use/i.test(output);
}

/** Ports of the loopback that a failed command's output says were closed, each once: of a database that is not running here, for one. */
export function portsFoundClosed(output: string): readonly number[] {
  if (!/refused|ECONNREFUSED/i.test(output)) return [];
  const found = [...output.matchAll(/(?:127\.0\.0\.1|localhost|\[?::1\]?)["')\]]*(?::|,? *\)?,? *(?:on )?port:? *)(\d{2,5})\b/gi)].map((match) => Number(match[1]));
  return [...new Set(found)].filter((port) => port > 0 && port <= 65_535);
}
