import { errorCode } from './retry.ts';

/** Whether a process with this pid runs here; another user's does, though it may not be signalled. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}
