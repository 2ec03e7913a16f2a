import { EPISODE_REFS, parseEpisodeRef } from '../../core/candidate/refs.ts';
import type { OpenHistory, Result } from '../openWorld.ts';
import { result } from '../result.ts';
import { bringFrom } from './fetching.ts';
import type { HistoryParts } from './historyParts.ts';
import { Importing } from './importing.ts';
import { planPublish, publish } from './publishing.ts';

/** One repository's history beyond its ledger. Everything in it is made again from refs, so nothing of it is kept here. */
export class History implements OpenHistory {
  readonly #parts: HistoryParts;
  readonly #importing: Importing;
  readonly #asOwner: <T>(work: () => Promise<T>) => Promise<Result<T>>;

  constructor(parts: HistoryParts, asOwner: <T>(work: () => Promise<T>) => Promise<Result<T>>) {
    this.#parts = parts;
    this.#importing = new Importing(parts);
    this.#asOwner = asOwner;
  }

  remotes(): ReturnType<OpenHistory['remotes']> {
    return result(() => this.#parts.ports.remotes.list());
  }

  planPublish(request: Parameters<OpenHistory['planPublish']>[0]): ReturnType<OpenHistory['planPublish']> {
    return this.#asOwner(() => planPublish(this.#parts, request));
  }

  publish(request: Parameters<OpenHistory['publish']>[0]): ReturnType<OpenHistory['publish']> {
    return this.#asOwner(() => publish(this.#parts, request));
  }

  fetch(request: Parameters<OpenHistory['fetch']>[0]): ReturnType<OpenHistory['fetch']> {
    return this.#asOwner(async () => {
      const { brought, left } = await bringFrom(this.#parts, request);
      request.progress('reading what came');
      const taken = await this.#importing.take(request.limits, (id) => brought.has(id));
      return { ...taken, left: [...left, ...taken.left] };
    });
  }

  rebuild(request: Parameters<OpenHistory['rebuild']>[0]): ReturnType<OpenHistory['rebuild']> {
    return this.#asOwner(() => this.#importing.take(request.limits, () => true));
  }

  async unknown(): Promise<number> {
    const { episodes } = this.#parts.log.state;
    const records = (await this.#parts.ports.repository.listRefs(EPISODE_REFS)).map(({ ref }) => parseEpisodeRef(ref)).filter((found) => found?.isRecord === true);
    return records.filter((found) => found !== null && !episodes.has(found.id)).length;
  }
}
