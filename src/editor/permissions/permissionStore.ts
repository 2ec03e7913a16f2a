import type * as vscode from 'vscode';
import { networkLevel, type NetworkLevel } from '../../core/sandbox/network.ts';
import { isSamePermission, type Permission } from '../../core/runPermission/permission.ts';

/** What the person allowed the commands of one repository: kept in this machine's storage, never in the repository (rule 10). */
export class PermissionStore {
  readonly #memory: vscode.Memento;
  readonly #keys: Readonly<Record<Permission['kind'], string>>;

  constructor(memory: vscode.Memento, commonDir: string) {
    this.#memory = memory;
    this.#keys = { command: `worldtree.allowedCommands:${commonDir}`, network: `worldtree.network:${commonDir}`, port: `worldtree.allowedPorts:${commonDir}` };
  }

  prefixes(): readonly (readonly string[])[] {
    return this.#memory.get<readonly (readonly string[])[]>(this.#keys.command, []);
  }

  /** Null where nobody has answered yet. */
  level(): NetworkLevel | null {
    return networkLevel.safeParse(this.#memory.get(this.#keys.network)).data ?? null;
  }

  ports(): readonly number[] {
    return this.#memory.get<readonly number[]>(this.#keys.port, []);
  }

  given(): readonly Permission[] {
    const level = this.level();
    return [
      ...(level === null ? [] : [{ kind: 'network', level } as const]),
      ...this.prefixes().map((prefix) => ({ kind: 'command', prefix } as const)),
      ...this.ports().map((port) => ({ kind: 'port', port } as const)),
    ];
  }

  async give(permission: Permission): Promise<void> {
    await this.#keep([...this.given().filter((other) => other.kind !== 'network' || permission.kind !== 'network'), permission], permission.kind);
  }

  async takeBack(permission: Permission): Promise<void> {
    await this.#keep(this.given().filter((other) => !isSamePermission(other, permission)), permission.kind);
  }

  async #keep(all: readonly Permission[], kind: Permission['kind']): Promise<void> {
    switch (kind) {
      case 'command': return this.#memory.update(this.#keys.command, all.flatMap((one) => (one.kind === 'command' ? [one.prefix] : [])));
      case 'network': return this.#memory.update(this.#keys.network, all.flatMap((one) => (one.kind === 'network' ? [one.level] : []))[0]);
      case 'port': return this.#memory.update(this.#keys.port, [...new Set(all.flatMap((one) => (one.kind === 'port' ? [one.port] : [])))]);
    }
  }
}
