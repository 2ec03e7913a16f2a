import { join } from 'node:path';
import type { AbsolutePath } from '../../core/ids.ts';

/** Everything that is kept for one repository, in the git folder that all its linked worktrees share. */
export interface LedgerFolders {
  readonly root: string;
  readonly segments: string;
  readonly transcripts: string;
  readonly inbox: string;
  /** Epoch and identity of the newest owner, replaced atomically. */
  readonly ownerFile: string;
  /** Held by the owner for as long as it is one; its time is the owner's heartbeat. */
  readonly ownerLock: string;
  /** Held for milliseconds while somebody becomes the owner. */
  readonly takingLock: string;
}

export function ledgerFolders(commonDir: AbsolutePath): LedgerFolders {
  const root = join(commonDir, 'worldtree');
  return {
    root,
    segments: join(root, 'ledger'),
    transcripts: join(root, 'transcripts'),
    inbox: join(root, 'inbox'),
    ownerFile: join(root, 'owner.json'),
    ownerLock: join(root, 'owner.lock'),
    takingLock: join(root, 'taking.lock'),
  };
}
