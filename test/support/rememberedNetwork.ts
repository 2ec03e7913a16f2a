import { Listeners } from '../../src/core/listeners.ts';
import type { NetworkLevel } from '../../src/core/sandbox/network.ts';
import type { NetworkPermissions } from '../../src/runtime/ports/sandbox.ts';

/** What a person decided about a repository's commands, remembered as long as the test runs. */
export function rememberedNetwork(known: NetworkLevel | null = null): NetworkPermissions {
  let level = known;
  const ports: number[] = [];
  const changed = new Listeners<void>();
  return {
    level: () => level,
    rememberLevel: (chosen) => {
      level = chosen;
      changed.tell();
      return Promise.resolve();
    },
    onChange: (listener) => changed.add(listener),
    allowedPorts: () => ports,
    allowPort: (port) => {
      ports.push(port);
      return Promise.resolve();
    },
  };
}
