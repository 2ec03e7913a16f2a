import { argumentsOf, type Executable } from '../commands/runCommand.ts';
import { shellWord } from '../commands/shellWord.ts';

interface Inside {
  readonly run: Executable;
  readonly temporary: string;
  /** Whether addresses of private networks are reached the way that others are. */
  readonly reachesPrivate: boolean;
  /** Ports of the machine that are open to the command. */
  readonly ports: readonly number[];
}

/** What a shell does inside the sandbox before it becomes the command. */
export function insideScript({ run, temporary, reachesPrivate, ports }: Inside): string {
  return [
    // The library has set its own, which is another's too.
    `export TMPDIR=${shellWord(temporary)} TEMP=${shellWord(temporary)} TMP=${shellWord(temporary)}`,
    ...(reachesPrivate ? ['export NO_PROXY=localhost,127.0.0.1,::1 no_proxy=localhost,127.0.0.1,::1'] : []),
    ...ports.map(forward),
    `exec ${argumentsOf(run).map(shellWord).join(' ')}`,
  ].join('\n');
}

/** The sandbox has a loopback of its own: a port of the machine's is brought there through the proxy, which knows what is allowed. */
function forward(port: number): string {
  const listening = `:${port.toString(16).toUpperCase().padStart(4, '0')} 00000000:0000 0A`;
  return [
    `socat TCP4-LISTEN:${port},bind=127.0.0.1,fork,reuseaddr,backlog=128 "PROXY:localhost:127.0.0.1:${port},proxyport=3128,proxyauth=$CLOUDSDK_PROXY_USERNAME:$CLOUDSDK_PROXY_PASSWORD" >/dev/null 2>&1 &`,
    `for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do grep -q '${listening}' /proc/net/tcp && break; sleep 0.02; done`,
  ].join('\n');
}
