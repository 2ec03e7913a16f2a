import { episodeRefs } from '../core/candidate/refs.ts';
import { modelName } from '../core/episode/model.ts';
import { filePath, type CommitId } from '../core/ids.ts';
import type { Episode } from '../core/world/state.ts';
import type { Repository } from './ports/repository.ts';

/** Version of the record's schema. */
const RECORD_VERSION = 1;

const RECORD_FILE = filePath.parse('record.json');

/** An episode's record as a small tree in a ref of its own, so that the history can go on in another clone. */
export async function writeRecord(repository: Repository, episode: Episode): Promise<void> {
  const { phase } = episode;
  const record = {
    v: RECORD_VERSION, id: episode.id, parent: episode.parent, world: episode.world, target: episode.target, role: episode.role, model: modelName(episode.model), limits: episode.limits,
    startedAt: episode.startedAt, endedAt: phase.name === 'ended' ? phase.at : null, outcome: phase.name === 'ended' ? phase.outcome : null, words: phase.name === 'ended' ? phase.words : '',
    usage: episode.spent.usage, usd: episode.spent.usd, estimated: episode.spent.estimated, turns: episode.spent.turns, wallMs: episode.spent.wallMs,
    candidates: episode.candidates.map(({ number, commit, base, source, subject }) => ({ number, commit, base, source, subject })),
    evidence: episode.evidence.map(({ number, evidence }) => ({ number, constraint: evidence.constraint, run: evidence.run, tree: evidence.tree, result: evidence.result, ms: evidence.ms })),
  };
  const report = episode.candidates.at(-1)?.report;
  await repository.writeRecord(episodeRefs(episode.id).record, { [RECORD_FILE]: `${JSON.stringify(record, null, 2)}\n`, 'goal.md': `${episode.goal}\n`, ...(report === undefined ? {} : { 'report.md': `${report}\n` }) }, `Record of ${episode.id}`);
}

/** Writes the records that a window which was killed between an end and its record did not get to. */
export async function writeMissingRecords(repository: Repository, episodes: Iterable<Episode>): Promise<void> {
  const refs = new Map((await repository.listRefs('refs/worldtree/episodes/')).map(({ ref, commit }) => [ref, commit]));
  for (const episode of episodes) {
    const { phase } = episode;
    if (phase.name !== 'ended') continue;
    // What cannot be read or written now is missing at the next start too; the others must not go without for it.
    await writeWhereMissing(repository, episode, phase.at, refs.get(episodeRefs(episode.id).record)).catch(() => undefined);
  }
}

async function writeWhereMissing(repository: Repository, episode: Episode, endedAt: number, commit: CommitId | undefined): Promise<void> {
  const text = commit === undefined ? null : await repository.read(commit, RECORD_FILE);
  // One of an earlier end may stand there: the change was taken up again since.
  if (text === null || !new TextDecoder().decode(text).includes(`"endedAt": ${endedAt},`)) await writeRecord(repository, episode);
}
