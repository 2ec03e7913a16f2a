import { describe, expect, it } from 'vitest';
import { GitFailure, failureKind, missingFilter } from '../../../src/adapters/git/door/failure.ts';
import type { GitFailureKind } from '../../../src/adapters/git/door/failure.ts';

/** What git 2.38 to 2.47 print, on Linux, macOS and Windows. */
const said: readonly (readonly [GitFailureKind, string])[] = [
  ['dubious-ownership', "fatal: detected dubious ownership in repository at '/srv/project'\nTo add an exception for this directory, call:\n\n\tgit config --global --add safe.directory /srv/project"],
  ['lock-exists', "fatal: Unable to create '/r/.git/index.lock': File exists.\n\nAnother git process seems to be running in this repository"],
  ['lock-exists', "error: could not lock config file /r/.git/config: File exists"],
  ['lock-exists', "fatal: cannot lock ref 'refs/heads/main': Unable to create '/r/.git/refs/heads/main.lock': File exists."],
  ['ref-moved', "fatal: update_ref failed for ref 'refs/heads/main': cannot lock ref 'refs/heads/main': is at 1111111111111111111111111111111111111111 but expected 2222222222222222222222222222222222222222"],
  ['ref-moved', "fatal: cannot lock ref 'refs/heads/x': reference already exists"],
  ['filter-missing', 'git-lfs smudge -- a.bin: 1: git-lfs: not found\nerror: external filter \'git-lfs smudge -- %f\' failed 127\nerror: external filter \'git-lfs smudge -- %f\' failed\nfatal: a.bin: smudge filter lfs failed'],
  ['filter-missing', 'git-lfs filter-process: git-lfs: command not found\nfatal: the remote end hung up unexpectedly'],
  ['filter-missing', 'git-lfs filter-process: 1: git-lfs: not found\nfatal: the remote end hung up unexpectedly'],
  ['path-too-long', "error: unable to create file a/b: File name too long"],
  ['path-too-long', "error: unable to create file a/b: Filename too long\nfatal: unable to checkout working tree"],
  ['disk-full', "fatal: sha1 file '/r/.git/objects/aa/tmp' write error: No space left on device"],
  ['permission-denied', "error: unable to create file a: Permission denied"],
  ['permission-denied', "fatal: Unable to create '/r/.git/index.lock': Read-only file system"],
  ['unknown-revision', "fatal: ambiguous argument 'x': unknown revision or path not in the working tree."],
  ['unknown-revision', 'fatal: Needed a single revision'],
  ['unknown-revision', 'fatal: Not a valid object name x'],
  ['missing-object', 'fatal: bad object 1111111111111111111111111111111111111111'],
  ['missing-object', 'error: unable to read sha1 file of a (1111111111111111111111111111111111111111)'],
  ['not-a-repository', 'fatal: not a git repository (or any of the parent directories): .git'],
  ['no-network', "fatal: unable to access 'https://git.example/x.git/': Could not resolve host: git.example"],
  ['no-network', 'ssh: connect to host git.example port 22: Connection refused\nfatal: Could not read from remote repository.'],
  ['not-authorised', "fatal: could not read Username for 'https://git.example': terminal prompts disabled"],
  ['not-authorised', 'git@git.example: Permission denied (publickey).\nfatal: Could not read from remote repository.'],
  ['not-authorised', "fatal: unable to access 'https://git.example/x.git/': The requested URL returned error: 403"],
  ['not-trusted', "fatal: unable to access 'https://git.example/x.git/': server certificate verification failed. CAfile: none CRLfile: none"],
  ['not-trusted', "fatal: unable to access 'https://git.example/x.git/': SSL certificate problem: self-signed certificate"],
  ['remote-missing', "fatal: '/srv/gone.git' does not appear to be a git repository\nfatal: Could not read from remote repository."],
  ['push-refused', "error: failed to push some refs to '/srv/x.git'"],
  ['other', 'fatal: something new'],
];

describe('what git says when it fails', () => {
  for (const [kind, stderr] of said) {
    it(`is read as ${kind}: ${stderr.slice(0, 60).replaceAll('\n', ' ')}`, () => {
      expect(failureKind(stderr)).toBe(kind);
      const failure = new GitFailure(kind, { args: ['read-tree', '-u'], exitCode: 128, stderr });
      expect(failure.refusal.next).not.toBe('');
      expect(failure.message).toContain(stderr.trim().split('\n').at(-1)?.trim() ?? '');
    });
  }

  it('names the program that a filter needs', () => {
    expect(missingFilter("error: external filter 'git-lfs smudge -- %f' failed 127")).toContain('git-lfs');
    expect(missingFilter('git-lfs filter-process: 1: git-lfs: not found')).toBe('git-lfs');
    expect(missingFilter('fatal: something new')).toBeNull();
  });
});
