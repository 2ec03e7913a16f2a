import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Installs programs that tests need, only where it can be done without asking anybody: root on a system with Debian's packages. False where it cannot. */
export function installDebianPackages(...names: readonly string[]): boolean {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // Test files run beside each other, and each may be the first that needs something.
  const aptGet = (...args: readonly string[]): void => void execFileSync('/usr/bin/apt-get', ['-o', 'DPkg::Lock::Timeout=120', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 300_000 });
  aptGet('update', '-qq');
  aptGet('install', '-y', '-qq', '--no-install-recommends', ...names);
  return true;
}
