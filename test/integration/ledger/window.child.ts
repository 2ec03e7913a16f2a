import type { AbsolutePath } from '../../../src/core/ids.ts';
import { Refused } from '../../../src/core/refusal.ts';
import type { ReadOnlyReason } from '../../../src/runtime/ports/ledger.ts';
import { openLedger } from '../../../src/adapters/ledger/openLedger.ts';
import type { LedgerRecord } from '../../../src/core/ledger/record.ts';
import { ran } from './events.ts';

/** `append` writes facts about episode `episode` that are numbered by their `ms`. */
export type WindowCommand =
  | { readonly do: 'append'; readonly episode: number; readonly from: number; readonly count: number }
  | { readonly do: 'take over' } | { readonly do: 'is owner' } | { readonly do: 'read only' } | { readonly do: 'close' };

export type WindowAnswer =
  /** `kept` are the numbers whose append resolved; `refused` the reasons of the others. */
  | { readonly did: 'append'; readonly kept: readonly number[]; readonly refused: readonly string[] }
  | { readonly did: 'take over'; readonly kind: string; readonly reason: string }
  | { readonly did: 'is owner'; readonly owner: boolean }
  | { readonly did: 'read only'; readonly reason: ReadOnlyReason | null }
  | { readonly did: 'close' };

const [commonDir, times] = [process.argv[2] as AbsolutePath, JSON.parse(process.argv[3] ?? '{}') as { staleMs?: number; heartbeatMs?: number }];
const ledger = await openLedger(commonDir, { pollMs: 200, lockTimes: { staleMs: times.staleMs ?? 60_000, heartbeatMs: times.heartbeatMs ?? 1_000 } });
await ledger.replay();
ledger.follow((records) => process.send?.({ followed: records.flatMap(numberOf) }));
ledger.onLost(() => process.send?.({ lost: true }));
process.on('message', (message: { id: number; command: WindowCommand }) => {
  void carryOut(message.command).then((answer) => process.send?.({ id: message.id, answer }));
});
process.send?.({ ready: true });

async function carryOut(command: WindowCommand): Promise<WindowAnswer> {
  switch (command.do) {
    case 'append': {
      const kept: number[] = [];
      const refused: string[] = [];
      // In small groups, so that a stop of the process falls between and into writes.
      for (let done = 0; done < command.count; done += 5) {
        await Promise.all(Array.from({ length: Math.min(5, command.count - done) }, async (_, i) => {
          const number = command.from + done + i;
          try {
            await ledger.append([ran(command.episode, number)]);
            kept.push(number);
          } catch (error) {
            if (!(error instanceof Refused)) throw error;
            refused.push(error.refusal.reason);
          }
        }));
      }
      return { did: 'append', kept, refused };
    }
    case 'take over': {
      const result = await ledger.tryTakeOver();
      return { did: 'take over', kind: result.kind, reason: result.kind === 'refused' ? result.refusal.reason : '' };
    }
    case 'is owner': return { did: 'is owner', owner: await ledger.isOwner() };
    case 'read only': return { did: 'read only', reason: ledger.readOnly() };
    case 'close':
      await ledger.close();
      return { did: 'close' };
  }
}

function numberOf({ event }: LedgerRecord): number[] {
  return event.type === 'tool.ran' ? [event.ms] : [];
}
