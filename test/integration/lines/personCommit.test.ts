import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { commitAsPerson } from '../../../src/adapters/git/lines/personCommit.ts';
import type { TreeId } from '../../../src/core/ids.ts';
import { makeLineWorld } from './lineWorld.ts';
import type { LineWorld } from './lineWorld.ts';

/** Cases D8 and D9: the accepted commit is the person's, or says why it cannot be. */

let world: LineWorld | undefined;
afterEach(async () => {
  await world?.remove();
  world = undefined;
});

function start(): { w: LineWorld; commit: (timeoutMs?: number) => Promise<string> } {
  const w = makeLineWorld({ 'a.txt': 'a\n' });
  world = w;
  const accepted = { tree: w.repository.git('rev-parse', 'HEAD^{tree}') as TreeId, parents: [w.head()], message: 'Subject\n\nBody ü\n\nWorldtree-Episode: e12' };
  return { w, commit: (timeoutMs) => commitAsPerson(w.door, accepted, new AbortController().signal, timeoutMs) };
}

function program(w: LineWorld, text: string): string {
  const file = path.join(w.repository.folder, '.git', 'signer');
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
  return file;
}

describe('given an accepted tree, when it is committed as the person', () => {
  it('then author and committer are theirs and no ref moves', async () => {
    const { w, commit } = start();
    const before = w.repository.git('for-each-ref');
    const id = await commit();
    expect(w.repository.git('show', '-s', '--format=%an <%ae> %cn <%ce>%n%B', id)).toBe('Ada Person <ada@example.test> Ada Person <ada@example.test>\nSubject\n\nBody ü\n\nWorldtree-Episode: e12\n');
    expect(w.repository.git('for-each-ref')).toBe(before);
  });

  it('then without a name or an address it asks for them, and makes none up (D9)', async () => {
    const { w, commit } = start();
    w.repository.git('config', '--unset', 'user.email');
    await expect(commit()).rejects.toMatchObject({ refusal: { reason: 'no-identity' } });
  });

  it('then it is signed where the config says so', async () => {
    const { w, commit } = start();
    w.repository.git('config', 'commit.gpgsign', 'true');
    w.repository.git('config', 'gpg.program', program(w, 'cat >/dev/null; echo "[GNUPG:] SIG_CREATED x" >&2; printf -- "-----BEGIN PGP SIGNATURE-----\\n\\nx\\n-----END PGP SIGNATURE-----\\n"'));
    expect(w.repository.git('cat-file', 'commit', await commit())).toContain('gpgsig -----BEGIN PGP SIGNATURE-----');
  });

  it('then a key that is not at hand is said, with git\'s words (D8)', async () => {
    const { w, commit } = start();
    w.repository.git('config', 'commit.gpgsign', 'true');
    w.repository.git('config', 'gpg.program', program(w, 'echo "gpg: no secret key" >&2; exit 2'));
    await expect(commit()).rejects.toMatchObject({ refusal: { reason: 'signing-failed', message: expect.stringContaining('failed to sign') as string } });
  });

  it('then a signer that waits for ever is ended (D8)', async () => {
    const { w, commit } = start();
    w.repository.git('config', 'commit.gpgsign', 'true');
    w.repository.git('config', 'gpg.program', program(w, 'sleep 600'));
    await expect(commit(500)).rejects.toMatchObject({ refusal: { reason: 'signing-failed' } });
  });
});
