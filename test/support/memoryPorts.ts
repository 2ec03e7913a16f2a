import type { EpisodeId } from '../../src/core/ids.ts';
import type { TranscriptEntry } from '../../src/core/episode/transcript.ts';
import { LEDGER_VERSION, type LedgerRecord } from '../../src/core/ledger/record.ts';
import type { Ledger, TranscriptReader, Transcripts } from '../../src/runtime/ports/ledger.ts';
import type { Amount, Spending } from '../../src/runtime/ports/spending.ts';

/** Ports without a disk, for a test of thousands of turns that is about none: each turn is flushed half a dozen times on a real one. */
export function memoryPorts(tag: string): { readonly ledger: Ledger; readonly transcripts: Transcripts; readonly spending: Spending } {
  return { ledger: memoryLedger(tag), transcripts: memoryTranscripts(), spending: memorySpending() };
}

const nothing = { dispose: (): void => undefined };

function memoryLedger(tag: string): Ledger {
  const records: LedgerRecord[] = [];
  return {
    tag,
    replay: () => Promise.resolve({ records: [...records], warnings: [] }),
    readOnly: () => null,
    append: (events) => {
      const added = events.map((event, place): LedgerRecord => ({ v: LEDGER_VERSION, epoch: 1, seq: records.length + place + 1, at: Date.now(), event }));
      records.push(...added);
      return Promise.resolve(added);
    },
    isOwner: () => Promise.resolve(true),
    follow: () => nothing, onLost: () => nothing, onReadOnlyChange: () => nothing,
    close: () => Promise.resolve(),
  };
}

function memoryTranscripts(): Transcripts {
  const of = new Map<EpisodeId, TranscriptEntry[]>();
  return {
    append: (episode, entries) => {
      of.set(episode, [...(of.get(episode) ?? []), ...entries]);
      return Promise.resolve();
    },
    read: (episode) => from(of, episode).more(),
    reader: (episode) => from(of, episode),
  };
}

function from(of: ReadonlyMap<EpisodeId, readonly TranscriptEntry[]>, episode: EpisodeId): TranscriptReader {
  let read = 0;
  return {
    async *more() {
      for (const entry of await Promise.resolve((of.get(episode) ?? []).slice(read))) {
        read += 1;
        yield entry;
      }
    },
  };
}

/** Refuses nothing, and counts. */
function memorySpending(): Spending {
  const none: Amount = { usd: 0, unpricedTokens: 0 };
  const reserved = new Map<string, Amount>();
  let spent = none;
  let next = 1;
  const sum = (a: Amount, b: Amount): Amount => ({ usd: a.usd + b.usd, unpricedTokens: a.unpricedTokens + b.unpricedTokens });
  return {
    reserve: (amount) => {
      const reservation = String(next++);
      reserved.set(reservation, amount);
      return Promise.resolve({ kind: 'reserved', reservation });
    },
    settle: (reservation, amount) => {
      if (!reserved.delete(reservation)) throw new Error(`${reservation} was settled twice`);
      spent = sum(spent, amount);
      return Promise.resolve();
    },
    today: () => Promise.resolve({ day: '2026-11-30', spent, reserved: [...reserved.values()].reduce(sum, none), raised: none }),
    raise: () => Promise.resolve(),
    stopEverything: () => Promise.resolve(),
    stoppedAt: () => Promise.resolve(null),
    onStop: () => nothing,
  };
}
