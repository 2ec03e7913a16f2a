import type { EpisodeId, FolderPath } from '../../src/core/ids.ts';
import type { Answer } from '../../src/core/ledger/events.ts';
import { currentCandidate } from '../../src/core/world/state.ts';
import type { Episode, Phase } from '../../src/core/world/state.ts';
import { TestWorld } from '../support/testWorld.ts';

/** A click of the person's. */
export type Click =
  | { readonly do: 'delegate'; readonly folder: FolderPath; readonly goal: string | null }
  | { readonly do: 'answer'; readonly episode: EpisodeId; readonly choice: Answer['choice'] }
  | { readonly do: 'accept' | 'undo' | 'reject' | 'withdraw' | 'rework' | 'stop'; readonly episode: EpisodeId }
  | { readonly do: 'close' };

/** What the views would show of an agent. */
export interface Row {
  readonly id: EpisodeId;
  readonly goal: string;
  readonly phase: Phase['name'];
  /** Kind of question, outcome, or what a start could not put right. */
  readonly detail: string | null;
  readonly candidates: readonly { readonly number: number; readonly commit: string }[];
  readonly candidate: number | null;
  /** Moves that are done. */
  readonly accepts: number;
  readonly undos: number;
}

export type FromWindow =
  | { readonly rows: readonly Row[]; readonly ready: boolean }
  | { readonly click: number; readonly refused: { readonly reason: string; readonly message: string } | null }
  | { readonly broke: string };

const [checkout = '', machine = '', baseUrl = ''] = process.argv.slice(2);
const told = new Map<EpisodeId, string>();
process.on('unhandledRejection', (error) => send({ broke: String(error instanceof Error ? error.stack : error) }));
const world = await TestWorld.open(checkout, { machine, baseUrl, daily: { costUsd: 1_000, allTokens: 1e12 } });
world.world.onChange(() => tell(false));
process.on('message', (message: { readonly click: number; readonly what: Click }) => {
  void carryOut(message.what).then((refused) => {
    // The state before the answer: who hears it finds what it says in the rows.
    tell(false);
    send({ click: message.click, refused });
    if (message.what.do === 'close') process.disconnect();
  });
});
tell(true);

async function carryOut(what: Click): Promise<{ reason: string; message: string } | null> {
  try {
    const result = await click(what);
    return result === null || result.ok ? null : { reason: result.refusal.reason, message: [result.refusal.message, ...(result.refusal.files ?? [])].join(' ') };
  } catch (error) {
    return { reason: 'threw', message: String(error instanceof Error ? error.stack : error) };
  }
}

async function click(what: Click): Promise<{ readonly ok: true } | { readonly ok: false; readonly refusal: { readonly reason: string; readonly message: string; readonly files?: readonly string[] | undefined } } | null> {
  switch (what.do) {
    case 'delegate':
      await world.delegate(what.folder, what.goal);
      return null;
    case 'answer': return world.world.answer(what.episode, { choice: what.choice, words: '' });
    case 'accept': return world.accept(what.episode, { message: message(what.episode) });
    case 'undo': return world.undo(what.episode);
    case 'reject': return world.world.reject(what.episode, 'not wanted');
    case 'withdraw': return world.world.withdrawReject(what.episode);
    case 'rework': return world.world.rework(what.episode, 'Write reworked.txt as well.');
    case 'stop': return world.world.stop(what.episode);
    case 'close':
      await world.close();
      return null;
  }
}

/** As the accept box has it: a commit on the line is known again by its trailer. */
function message(id: EpisodeId): string {
  return `${currentCandidate(world.episode(id))?.subject ?? ''}\n\nWorldtree-Episode: ${id}`;
}

function tell(ready: boolean): void {
  const rows = [...world.world.state().episodes.values()].map(row).filter((r) => told.get(r.id) !== JSON.stringify(r));
  for (const r of rows) told.set(r.id, JSON.stringify(r));
  if (ready || rows.length > 0) send({ rows, ready });
}

function row(episode: Episode): Row {
  const done = [...world.world.state().moves.values()].filter((move) => move.prepared.episode === episode.id && move.state.name === 'done').map((move) => move.prepared.kind);
  return {
    id: episode.id, goal: episode.goal, phase: episode.phase.name, detail: detail(episode.phase),
    candidates: episode.candidates.map(({ number, commit }) => ({ number, commit })), candidate: currentCandidate(episode)?.number ?? null,
    accepts: done.filter((kind) => kind === 'accept').length, undos: done.filter((kind) => kind === 'undo').length,
  };
}

function detail(phase: Phase): string | null {
  switch (phase.name) {
    case 'asking': return phase.question.kind === 'failed' ? `failed: ${phase.question.words}` : phase.question.kind;
    case 'judging': return phase.unclear ?? null;
    case 'ended': return phase.outcome;
    case 'preparing': case 'running': case 'interrupted': case 'waiting': return null;
  }
}

function send(message: FromWindow): void {
  if (process.connected) process.send?.(message);
}
