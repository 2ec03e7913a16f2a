import { describe, expect, it } from 'vitest';
import { isSamePermission, type Permission } from '../../../src/core/runPermission/permission.ts';
import { permissionRow } from '../../../src/core/projections/permissionRow.ts';

const all: readonly Permission[] = [
  { kind: 'command', prefix: ['npm', 'run', 'test'] }, { kind: 'command', prefix: ['npm', 'run', 'test', ''] }, { kind: 'command', prefix: ['npm run', 'test'] }, { kind: 'command', prefix: ['npm', 'run'] },
  { kind: 'network', level: 'off' }, { kind: 'network', level: 'registries' }, { kind: 'network', level: 'on' },
  { kind: 'port', port: 5432 }, { kind: 'port', port: 80 },
];

describe('permissions that were given', () => {
  it('are the same only as themselves', () => {
    for (const [i, one] of all.entries()) expect(all.map((other) => isSamePermission(one, structuredClone(other)))).toEqual(all.map((_, j) => i === j));
  });

  it('read differently, so that none is taken back for another', () => {
    expect(new Set(all.map((permission) => permissionRow(permission).label)).size).toBe(all.length);
    expect(permissionRow({ kind: 'command', prefix: ['cargo', 'test', '-p', 'api server'] }).label).toBe('cargo test -p "api server"');
  });
});
