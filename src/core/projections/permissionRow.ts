import type { Permission } from '../runPermission/permission.ts';
import type { NetworkLevel } from '../sandbox/network.ts';

/** A permission as the person who gave it reads it, to take it back. */
export function permissionRow(permission: Permission): { readonly label: string; readonly description: string } {
  switch (permission.kind) {
    case 'command': return { label: permission.prefix.map(shown).join(' '), description: 'runs unasked where there is no sandbox' };
    case 'network': return { label: `Network: ${LEVELS[permission.level]}`, description: 'as you answered' };
    case 'port': return { label: `Port ${String(permission.port)} of this machine`, description: 'commands may reach it' };
  }
}

const LEVELS: Readonly<Record<NetworkLevel, string>> = { off: 'nothing', registries: 'package registries', on: 'the whole network' };

/** An argument that a list would show as several, or as none, stands in quotes. */
function shown(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : JSON.stringify(argument);
}
