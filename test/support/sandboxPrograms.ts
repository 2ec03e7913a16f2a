import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { installDebianPackages } from './debianPackages.ts';

/** Why nothing of the sandbox can be tried on this machine; null where it can, what it needs being installed where that is possible. */
export const NO_SANDBOX: string | null = missing();

function missing(): string | null {
  if (process.platform === 'darwin') return null;
  if (process.platform !== 'linux') return `there is no sandbox on ${process.platform}`;
  const lacking = ['bwrap', 'socat'].filter((program) => !onPath(program));
  if (lacking.length === 0) return null;
  try {
    return installDebianPackages('bubblewrap', 'socat') ? null : `${lacking.join(' and ')} not installed`;
  } catch (error) {
    return `${lacking.join(' and ')} could not be installed: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Whether a program is there for commands of a repository. */
export function onPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(path.delimiter).some((folder) => {
    try {
      accessSync(path.join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
