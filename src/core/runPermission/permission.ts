import type { NetworkLevel } from '../sandbox/network.ts';

/** Something that a person allowed the commands of a repository, once for all, when one of them asked. */
export type Permission =
  /** Commands that begin with these arguments run without asking, where there is no sandbox. */
  | { readonly kind: 'command'; readonly prefix: readonly string[] }
  | { readonly kind: 'network'; readonly level: NetworkLevel }
  /** A server of the person's on this machine may be reached from the sandbox. */
  | { readonly kind: 'port'; readonly port: number };

export function isSamePermission(a: Permission, b: Permission): boolean {
  switch (a.kind) {
    case 'command': return b.kind === 'command' && a.prefix.length === b.prefix.length && a.prefix.every((argument, i) => b.prefix[i] === argument);
    case 'network': return b.kind === 'network' && a.level === b.level;
    case 'port': return b.kind === 'port' && a.port === b.port;
  }
}
