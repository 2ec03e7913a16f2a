import type { FilePath } from '../../core/ids.ts';
import type { ToolContext, ToolResult } from '../../runtime/ports/tools.ts';
import { errorCode } from '../retry.ts';
import type { CommittedFiles, CommittedKind } from './committedFiles.ts';
import type { IgnoreRules } from './ignoreRules.ts';

/** What one call of a tool works with. */
export interface ToolCall extends ToolContext {
  /** The worktree with every link in its own path followed. */
  readonly root: string;
  readonly rules: IgnoreRules;
  /** Files of the base that git has although an ignore rule matches them, and the folders that hold such; see `walk`. */
  readonly tracked: () => Promise<ReadonlySet<string>>;
  /** Null where everything is checked out. */
  readonly committed: CommittedFiles | null;
  readonly isBrought: (path: string) => boolean;
}

/** What a model reads of one call at most, in bytes of UTF-8. */
export const MAX_OUTPUT_BYTES = 16 * 1024;

export function failed(text: string): ToolResult {
  return { text, ok: false };
}

export function done(text: string): ToolResult {
  return { text, ok: true };
}

export function wrote(text: string, path: FilePath, ignored: boolean): ToolResult {
  return { text, ok: true, wrote: path, ...(ignored ? { ignored: true } : {}) };
}

/** What the commit has in a place that could not be opened; null also where something else stands in its way on disk. */
export function leftOutKind(relative: string, error: unknown, call: ToolCall): CommittedKind | null {
  return errorCode(error) === 'ENOENT' ? call.committed?.kindOf(relative) ?? null : null;
}

/** The system's word for a failed file operation, in words. */
export function fileErrorWords(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'ENOENT': return 'it does not exist';
    case 'ENOTDIR': return 'a part of its path is a file, not a folder';
    case 'EISDIR': return 'it is a folder';
    case 'EACCES': case 'EPERM': return 'the system does not permit it';
    case 'ENOSPC': case 'EDQUOT': return 'the disk is full';
    case 'ENAMETOOLONG': return 'the path is too long for this system';
    case 'EROFS': return 'the disk is read-only';
    case 'EMFILE': case 'ENFILE': return 'too many files are open';
    default: return error instanceof Error ? error.message : String(error);
  }
}
