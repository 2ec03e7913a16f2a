import { prefixAllows, prefixToRemember } from '../../core/runPermission/commandPrefix.ts';
import type { CommandPermissions } from '../../runtime/ports/person.ts';
import type { PermissionStore } from './permissionStore.ts';

/** Which commands of one repository the person wants to run unasked. */
export function commandPermissions(store: PermissionStore): CommandPermissions {
  return {
    allows: (command) => store.prefixes().some((prefix) => prefixAllows(prefix, command)),
    prefixOf: prefixToRemember,
    remember: (prefix) => store.give({ kind: 'command', prefix }),
  };
}
