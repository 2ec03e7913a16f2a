import { describe, expect, it } from 'vitest';
import { distributionOf, failureAdvice, installAdvice, sandboxWords } from '../../../src/core/sandbox/sandboxStatus.ts';

describe('a missing sandbox', () => {
  it.each([
    ['ID=ubuntu\nID_LIKE=debian\n', 'sudo apt install bubblewrap socat'],
    ['NAME="Linux Mint"\nID=linuxmint\nID_LIKE="ubuntu debian"\n', 'sudo apt install bubblewrap socat'],
    ['ID="rocky"\nID_LIKE="rhel centos fedora"\n', 'sudo dnf install bubblewrap socat'],
    ['ID=manjaro\nID_LIKE=arch\n', 'sudo pacman -S bubblewrap socat'],
    ['ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"\n', 'sudo zypper install bubblewrap socat'],
    ['ID=alpine\n', 'sudo apk add bubblewrap socat'],
  ])('comes with the command that installs it: %s', (release, command) => {
    expect(installAdvice(['bwrap', 'socat'], distributionOf(release))).toBe(`Install what is missing, then reload the window: ${command}`);
  });

  it('names the packages on a system that is not known', () => {
    expect(installAdvice(['bwrap', 'socat'], [])).toBe('Install bubblewrap and socat with your system’s package manager, then reload the window.');
    expect(installAdvice(['socat'], ['debian'])).toContain('sudo apt install socat');
  });

  it('says what a system is that does not let it be made', () => {
    expect(failureAdvice('bwrap: setting up uid map: Permission denied').next).toContain('apparmor');
    expect(failureAdvice('bwrap: No permissions to creating new namespace').why).toContain('does not let bubblewrap');
    expect(failureAdvice('').why).toContain('printed nothing');
    expect(failureAdvice('first\nlast line').why).toContain('last line');
  });

  it('is said in words that name what it means', () => {
    expect(sandboxWords({ kind: 'starting' })).toBeNull();
    expect(sandboxWords({ kind: 'ready' })).toBe('Commands run in a sandbox.');
    expect(sandboxWords({ kind: 'off' })).toContain('each command asks');
    expect(sandboxWords({ kind: 'unavailable', why: 'socat is not installed.', next: 'Install it.' })).toBe('No sandbox: each command asks. socat is not installed. Install it.');
  });
});
