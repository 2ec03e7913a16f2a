import { Refused } from '../../core/refusal.ts';
import { errorCode } from '../retry.ts';

/** A failed write in words for the person. `what` is what was to be written: "The history". */
export function diskRefusal(what: string, path: string, error: unknown): Refused {
  const { happened, next } = explain(errorCode(error));
  return new Refused({
    reason: 'disk-failed',
    message: `${what} could not be written to the disk: ${happened} (${errorCode(error) ?? String(error)}, ${path}). Nothing that was written before is lost.`,
    next,
  }, { cause: error });
}

function explain(code: string | undefined): { happened: string; next: string } {
  switch (code) {
    case 'ENOSPC': return { happened: 'the disk is full', next: 'Free some space, then try again.' };
    case 'EDQUOT': case 'EFBIG': return { happened: 'the disk quota or file size limit is used up', next: 'Free some space or have the limit raised, then try again.' };
    case 'EROFS': return { happened: 'the file system is read-only', next: 'Make the repository writable, then try again.' };
    case 'EACCES': case 'EPERM': return { happened: 'permission was denied', next: 'Give yourself write permission to this folder, then try again.' };
    case 'EIO': return { happened: 'the disk reported an error', next: 'Check the disk, make a backup of the repository, then try again.' };
    default: return { happened: 'the write failed', next: 'Check the disk, then try again.' };
  }
}
