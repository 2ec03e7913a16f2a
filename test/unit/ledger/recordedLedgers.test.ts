import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFirstLine, readLines } from '../../../src/adapters/ledger/segmentLines.ts';
import { ledgerEvent, type LedgerEvent } from '../../../src/core/ledger/events.ts';
import { LEDGER_VERSION, ledgerRecord, type LedgerRecord } from '../../../src/core/ledger/record.ts';
import { evolve } from '../../../src/core/world/evolve.ts';
import { EMPTY_WORLD, type Episode, type WorldState } from '../../../src/core/world/state.ts';

const recorded = path.join(import.meta.dirname, '../../fixtures/ledgers');
const ledgers = readdirSync(recorded, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name: version }) => readdirSync(path.join(recorded, version)).filter((name) => name.endsWith('.jsonl')).map((name) => ({ version, name })));

function read(version: string, name: string): { readonly tag: string; readonly records: readonly LedgerRecord[]; readonly unreadable: number; readonly tail: number } {
  const bytes = readFileSync(path.join(recorded, version, name));
  const epoch = (JSON.parse(bytes.toString('utf8', 0, bytes.indexOf('\n'))) as { epoch: number }).epoch;
  const first = readFirstLine(bytes, epoch);
  if (first.kind !== 'header') throw new Error(`${name} has no header that this version can read`);
  const lines = readLines(bytes, first.end, epoch);
  return { tag: first.header.tag, records: lines.records, unreadable: lines.unreadable, tail: bytes.length - lines.end };
}

/** What a person would see of a ledger, in a form that stays readable beside it. */
function summary(state: WorldState): unknown {
  return {
    nextEpisode: state.nextEpisode,
    episodes: Object.fromEntries([...state.episodes].map(([id, episode]) => [id, episodeSummary(episode)])),
    moves: Object.fromEntries([...state.moves].map(([id, { prepared, state: moved }]) => [id, `${prepared.kind} of ${String(prepared.candidate)} on ${prepared.ref}: ${moved.name}${prepared.override === null ? '' : ', overridden'}`])),
  };
}

function episodeSummary(episode: Episode): unknown {
  const { phase, spent, limits } = episode;
  return {
    goal: episode.goal, role: episode.role, folder: episode.world.path, model: episode.model.kind,
    phase: phase.name === 'ended' ? `ended: ${phase.outcome}` : phase.name === 'asking' ? `asking: ${phase.question.kind}` : phase.name,
    candidates: episode.candidates.map((c) => `${String(c.number)} ${c.source}: ${String(c.inside.length)} inside, ${String(c.companions.length)} companions, ${String(c.outside.length)} outside, ${String(c.flags.length)} flags`),
    evidence: episode.evidence.map(({ number, evidence }) => `${String(number)} ${evidence.constraint} ${evidence.result}`),
    looked: episode.looked, reworked: episode.reworked?.words ?? null,
    ...(episode.messages.length === 0 ? {} : { messages: episode.messages.map((m) => `${String(m.number)}: ${m.words}`) }), ...(episode.cancelling ? { cancelling: true } : {}),
    usage: spent.usage, usd: Number(spent.usd.toFixed(6)), estimated: spent.estimated, turns: spent.turns, wallMs: spent.wallMs,
    inFlight: [...spent.inFlight.keys()], nextRequest: spent.nextRequest, costUsd: limits.costUsd,
  };
}

describe('ledgers that were recorded by each version', () => {
  it.each(ledgers)('$version/$name still replays to what it said then', ({ version, name }) => {
    const { tag, records, unreadable, tail } = read(version, name);
    const state = records.reduce((so, record) => evolve(so, record.event, record.at), EMPTY_WORLD);
    const expected: unknown = JSON.parse(readFileSync(path.join(recorded, version, name.replace(/\.jsonl$/, '.summary.json')), 'utf8'));
    expect({ tag, records: records.length, unreadable, tail, ...(summary(state) as object) }).toEqual(expected);
  });

  it('hold every kind of event that the present version knows, as the present version writes it', () => {
    const records = ledgers.filter(({ version }) => version === `v${String(LEDGER_VERSION)}`).flatMap(({ version, name }) => read(version, name).records);
    for (const record of records) expect(ledgerRecord.parse(record)).toEqual(record);
    expect(new Set(records.map(({ event }) => event.type))).toEqual(new Set<LedgerEvent['type']>(ledgerEvent.options.map((option) => option.shape.type.value)));
  });
});
