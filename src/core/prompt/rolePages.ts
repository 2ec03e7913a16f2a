import type { RoleName } from '../ledger/events.ts';

/** What a role is for, after everything that all roles share. */
export function rolePage(role: RoleName): string {
  switch (role) {
    case 'executor':
      return 'Your role: executor. You do the work yourself, from reading to checked change. You cannot delegate.';
    case 'surveyor':
      return 'Your role: surveyor. You write CONTEXT.md files that tell the next reader what a folder is for, from what the files say. Never change or replace a file that exists, and state nothing that you have not read.';
  }
}
