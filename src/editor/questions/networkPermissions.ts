import type * as vscode from 'vscode';
import { networkLevel, type NetworkLevel } from '../../core/sandbox/network.ts';
import type { NetworkPermissions } from '../../runtime/ports/sandbox.ts';

/** What commands of one repository may reach, as the person answered: kept in this machine's storage, never in the repository (rule 10). The setting goes before it. */
export function networkPermissions(memory: vscode.Memento, commonDir: string, setting: () => NetworkLevel | 'ask'): NetworkPermissions {
  const levelKey = `worldtree.network:${commonDir}`;
  const portsKey = `worldtree.allowedPorts:${commonDir}`;
  const ports = (): readonly number[] => memory.get<readonly number[]>(portsKey, []);
  return {
    level: () => {
      const set = setting();
      return set === 'ask' ? networkLevel.safeParse(memory.get(levelKey)).data ?? null : set;
    },
    rememberLevel: async (level) => { await memory.update(levelKey, level); },
    allowedPorts: ports,
    allowPort: async (port) => { await memory.update(portsKey, [...new Set([...ports(), port])]); },
  };
}
