import { EPISODE_REFS, episodeRefs } from '../core/candidate/refs.ts';
import { filePath, type CommitId, type EpisodeId } from '../core/ids.ts';
import { ROOT } from '../core/paths.ts';
import { parseRecord, standingOf, type EpisodeRecord } from '../core/record/episodeRecord.ts';
import { recordOf } from '../core/record/recordOf.ts';
import { Turns } from '../core/turns.ts';
import type { Episode } from '../core/world/state.ts';
import type { Repository } from './ports/repository.ts';
import type { WorldLog } from './worldLog.ts';

const RECORD_FILE = filePath.parse('record.json');
const GOAL_FILE = filePath.parse('goal.md');
const REPORT_FILE = filePath.parse('report.md');

/** Bytes of one file of a record beyond which it is not read: it may come from anyone who can write to a remote. */
const LONGEST_FILE = 8 * 1024 * 1024;

type FoundRecord = { readonly ok: true; readonly record: EpisodeRecord; readonly goal: string } | { readonly ok: false; readonly words: string };

/**
 * Each episode's record as a small tree in a ref of its own, so that the history can go on in another clone. One at a
 * time: of two that were written on the same earlier one, only one could ever be published.
 */
export class Records {
  readonly #repository: Repository;
  readonly #log: Pick<WorldLog, 'state' | 'episode'>;
  readonly #tag: string;
  readonly #turns = new Turns();

  constructor(repository: Repository, log: Pick<WorldLog, 'state' | 'episode'>, tag: string) {
    this.#repository = repository;
    this.#log = log;
    this.#tag = tag;
  }

  /** Writes an episode's record where it says something new. */
  keep(id: EpisodeId): Promise<void> {
    return this.#turns.run(async () => {
      const episode = this.#log.episode(id);
      const record = recordOf(this.#log.state, episode, this.#tag);
      const commit = await this.#repository.resolve(episodeRefs(id).record);
      const before = commit === null ? null : await readRecord(this.#repository, id, commit);
      if (record !== null && !saysTheSame(before, record)) await this.#write(episode, record);
    });
  }

  /** Writes the records that a window which was killed between a fact and its record did not get to. */
  writeMissing(): Promise<void> {
    return this.#turns.run(async () => {
      const refs = new Map((await this.#repository.listRefs(EPISODE_REFS)).map(({ ref, commit }) => [ref, commit]));
      for (const episode of this.#log.state.episodes.values()) {
        // What cannot be read or written now is missing at the next start too; the others must not go without for it.
        await this.#writeWhereMissing(episode, refs.get(episodeRefs(episode.id).record)).catch(() => undefined);
      }
    });
  }

  async #writeWhereMissing(episode: Episode, commit: CommitId | undefined): Promise<void> {
    const record = recordOf(this.#log.state, episode, this.#tag);
    if (record === null) return;
    const before = commit === undefined ? null : await readRecord(this.#repository, episode.id, commit);
    // What another clone wrote and this ledger has not taken yet is news, not a record that is missing.
    const isNews = before?.ok === true && before.record.writer !== null && before.record.writer !== this.#tag && commit !== episode.taken;
    if (!isNews && !saysTheSame(before, record)) await this.#write(episode, record);
  }

  async #write(episode: Episode, record: EpisodeRecord): Promise<void> {
    const report = episode.candidates.at(-1)?.report;
    const files = { [RECORD_FILE]: `${JSON.stringify(record, null, 2)}\n`, [GOAL_FILE]: `${episode.goal}\n`, ...(report === undefined ? {} : { [REPORT_FILE]: `${report}\n` }) };
    await this.#repository.writeRecord(episodeRefs(episode.id).record, files, `Record of ${episode.id}`);
  }
}

/** What lies in a record's commit, as far as it can be believed to be one. */
export async function readRecord(repository: Repository, id: EpisodeId, commit: CommitId): Promise<FoundRecord> {
  const files = await repository.list(commit, ROOT);
  const tooLong = files.find(({ size }) => size !== null && size > LONGEST_FILE);
  if (tooLong) return { ok: false, words: `${tooLong.path} is too long` };
  const text = async (path: typeof RECORD_FILE): Promise<string | null> => {
    const bytes = await repository.read(commit, path);
    return bytes === null ? null : new TextDecoder().decode(bytes);
  };
  const json = await text(RECORD_FILE);
  if (json === null) return { ok: false, words: `it has no ${RECORD_FILE}` };
  const parsed = parseRecord(id, json, (await text(REPORT_FILE) ?? '').trim());
  return parsed.ok ? { ok: true, record: parsed.record, goal: (await text(GOAL_FILE) ?? '').trim() } : parsed;
}

function saysTheSame(before: FoundRecord | null, record: EpisodeRecord): boolean {
  return before?.ok === true && standingOf(before.record) === standingOf(record);
}
