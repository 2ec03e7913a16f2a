import * as vscode from 'vscode';
import { count } from '../../core/projections/amounts.ts';
import { permissionRow } from '../../core/projections/permissionRow.ts';
import type { Permission } from '../../core/runPermission/permission.ts';
import type { Handlers } from '../commands/handlers.ts';
import { tellDone } from '../tellPerson.ts';
import { repositoryName } from '../views/reviewView.ts';
import type { Worlds } from '../worlds.ts';
import type { PermissionStore } from './permissionStore.ts';

interface PermissionDependencies {
  readonly worlds: Worlds;
  readonly permissionsOf: (commonDir: string) => PermissionStore;
}

interface PermissionItem extends vscode.QuickPickItem {
  readonly given?: { readonly store: PermissionStore; readonly permission: Permission };
}

/** What was allowed by an answer can be taken back. */
export function permissionCommands({ worlds, permissionsOf }: PermissionDependencies): Pick<Handlers, 'worldtree.permissions'> {
  return {
    'worldtree.permissions': async () => {
      // Right after the window opened its repositories may still be looked for: an empty list would say that nothing is allowed.
      await Promise.all((vscode.workspace.workspaceFolders ?? []).map(({ uri }) => worlds.forFolder(uri)));
      const items = worlds.all().flatMap((world): PermissionItem[] => {
        const store = permissionsOf(world.repository.commonDir);
        const rows = store.given().map((permission) => ({ ...permissionRow(permission), picked: true, given: { store, permission } }));
        return rows.length === 0 ? [] : [{ label: repositoryName(world), kind: vscode.QuickPickItemKind.Separator }, ...rows];
      });
      if (items.length === 0) return tellDone('No command of these repositories was allowed anything yet. You are asked when one needs it.');
      const kept = await vscode.window.showQuickPick(items, { title: 'What Commands May Do Without Asking', placeHolder: 'Unmark what you want to be asked about again', canPickMany: true, matchOnDescription: true, ignoreFocusOut: true });
      if (kept === undefined) return;
      const taken = items.filter((item) => item.given !== undefined && !kept.includes(item));
      // One after the other: several of one kind stand in one place.
      for (const { given } of taken) await given?.store.takeBack(given.permission);
      if (taken.length > 0) await tellDone(`${count(taken.length, 'permission')} taken back. You are asked when a command needs it again.`);
    },
  };
}
