import { openLedger } from '../../../src/adapters/ledger/openLedger.ts';
import type { AbsolutePath } from '../../../src/core/ids.ts';
import { Refused } from '../../../src/core/refusal.ts';
import { started } from './events.ts';

// Started with a file size limit, which the system answers as it answers a full disk (half a write, then an error), but
// for this signal.
process.on('SIGXFSZ', () => undefined);

const ledger = await openLedger(process.argv[2] as AbsolutePath, { pollMs: 300 });
await ledger.replay();
const refused: unknown[] = [];
let kept = 0;
for (let i = 1; refused.length === 0 && i < 100; i++) {
  try {
    await ledger.append([started(i, 'x'.repeat(1_000))]);
    kept++;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    refused.push(error.refusal);
  }
}
// What is larger than a whole segment may be cannot be appended in a new segment either.
const still = await ledger.append([started(200, 'x'.repeat(20_000))]).then(() => null, (error: unknown) => (error instanceof Refused ? error.refusal : null));
process.send?.({ kept, refused, still, readOnly: ledger.readOnly() });
// Listened to for as long as it waits, not `once`: only that keeps this process from ending before the ledger looks again.
process.on('message', () => {
  void (async () => {
    await new Promise<void>((resolve) => {
      if (ledger.readOnly() === null) resolve();
      else ledger.onReadOnlyChange(resolve);
    });
    const readOnly = ledger.readOnly();
    await ledger.append([started(300, 'x'.repeat(20_000))]);
    await ledger.close();
    process.send?.({ readOnly });
    process.disconnect();
  })();
});
