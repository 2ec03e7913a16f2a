import type { EpisodeId } from '../../core/ids.ts';
import type { TranscriptEntry } from '../../core/episode/transcript.ts';
import type { LedgerEvent } from '../../core/ledger/events.ts';
import type { LedgerRecord } from '../../core/ledger/record.ts';

/** One repository's ledger, in `<git common dir>/worldtree/`. Nothing is written before the first append. */
export interface Ledger {
  /** Four letters or digits that end the ids given by this ledger. */
  readonly tag: string;
  /**
   * Every record so far, in order, and what could not be read: a torn tail, an empty file, bytes after a segment's
   * accepted length. They are kept on disk and told to the person.
   */
  replay(): Promise<{ readonly records: readonly LedgerRecord[]; readonly warnings: readonly string[] }>;
  /** Why nothing can be written by this window; null where this window may. */
  readOnly(): ReadOnlyReason | null;
  /**
   * Appends in order. Resolves when the records are on disk (fsync); appends of the same 20 ms share one flush.
   * Throws `Refused` with `not-owner` when the epoch has changed: nothing was written then.
   */
  append(events: readonly LedgerEvent[]): Promise<readonly LedgerRecord[]>;
  /** Looks at the epoch on disk: false once another owner took over, for good. */
  isOwner(): Promise<boolean>;
  /** Calls back with records that another window appended. */
  follow(listener: (records: readonly LedgerRecord[]) => void): { dispose(): void };
  /** Calls back once when this window stops being the owner. */
  onLost(listener: () => void): { dispose(): void };
  /** Calls back when `readOnly()` gives something else than before. */
  onReadOnlyChange(listener: () => void): { dispose(): void };
  close(): Promise<void>;
}

export type ReadOnlyReason =
  | { readonly kind: 'untrusted' }
  | { readonly kind: 'other-window'; readonly pid: number; readonly answering: boolean }
  | { readonly kind: 'newer-version'; readonly version: number }
  | { readonly kind: 'disk'; readonly words: string };

/** One append-only file per episode. */
export interface Transcripts {
  append(episode: EpisodeId, entries: readonly TranscriptEntry[]): Promise<void>;
  /** What is whole of it, one after the other, so that nobody has to hold all of it; a torn last line is left out and stays on disk. */
  read(episode: EpisodeId): AsyncIterable<TranscriptEntry>;
  /** For whoever follows it while it grows, and should not read all of it again. */
  reader(episode: EpisodeId): TranscriptReader;
}

export interface TranscriptReader {
  /** What is whole and came since the last one that this reader gave; all of it at first. One at a time. */
  more(): AsyncIterable<TranscriptEntry>;
}
