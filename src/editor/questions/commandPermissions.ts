import type * as vscode from 'vscode';
import { prefixAllows, prefixToRemember } from '../../core/runPermission/commandPrefix.ts';
import type { CommandPermissions } from '../../runtime/ports/person.ts';

/** Prefixes that the person allowed to run unasked in one repository: kept in this machine's storage, never in the repository (rule 10). */
export function commandPermissions(memory: vscode.Memento, commonDir: string): CommandPermissions {
  const key = `worldtree.allowedCommands:${commonDir}`;
  const prefixes = (): readonly (readonly string[])[] => memory.get<readonly (readonly string[])[]>(key, []);
  return {
    allows: (command) => prefixes().some((prefix) => prefixAllows(prefix, command)),
    prefixOf: prefixToRemember,
    remember: async (prefix) => { await memory.update(key, [...prefixes(), prefix]); },
  };
}
