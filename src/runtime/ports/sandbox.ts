import type { NetworkLevel } from '../../core/sandbox/network.ts';
import type { SandboxStatus } from '../../core/sandbox/sandboxStatus.ts';

/** The sandbox of this machine. Once it is known whether there is one, that does not change while the window is open. */
export interface Sandbox {
  status(): SandboxStatus;
  /** Resolves once it was tried out. */
  settled(): Promise<SandboxStatus>;
  onChange(listener: () => void): { dispose(): void };
}

/** What the person decided about one repository's commands, in settings and storage of the machine (rule 10). */
export interface NetworkPermissions {
  /** Null until the person was asked. */
  level(): NetworkLevel | null;
  rememberLevel(level: NetworkLevel): Promise<void>;
  /** The level may be another, by an answer or by the setting. */
  onChange(listener: () => void): { dispose(): void };
  /** Ports of this machine that its commands may reach. */
  allowedPorts(): readonly number[];
  allowPort(port: number): Promise<void>;
}
