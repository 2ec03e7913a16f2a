import * as vscode from 'vscode';
import { Listeners } from '../../core/listeners.ts';
import type { NetworkPermissions } from '../../runtime/ports/sandbox.ts';
import type { SettingKey } from '../contributions.ts';
import { readSettings } from '../settings.ts';
import type { PermissionStore } from './permissionStore.ts';

/** What commands of one repository may reach: as the setting says, else as the person answered. */
export function networkPermissions(store: PermissionStore): NetworkPermissions {
  const remembered = new Listeners<void>();
  return {
    level: () => {
      const { network } = readSettings();
      return network === 'ask' ? store.level() : network;
    },
    rememberLevel: async (level) => {
      await store.give({ kind: 'network', level });
      remembered.tell();
    },
    onChange: (listener) => vscode.Disposable.from(remembered.add(listener), vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('worldtree.sandbox.network' satisfies SettingKey)) listener();
    })),
    allowedPorts: () => store.ports(),
    allowPort: (port) => store.give({ kind: 'port', port }),
  };
}
