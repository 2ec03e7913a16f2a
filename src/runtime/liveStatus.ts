import type { EpisodeId } from '../core/ids.ts';
import type { Live } from './openWorld.ts';

const TEXT_KEPT = 2_000;

/** What each episode is doing this moment, for the views; lost with the window and never a fact. */
export class LiveStatus {
  readonly #of = new Map<EpisodeId, Live>();
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get(episode: EpisodeId): Live | undefined {
    return this.#of.get(episode);
  }

  /** New words; the text that streamed before is dropped. */
  say(episode: EpisodeId, words: string): void {
    this.#of.set(episode, { words, text: '' });
    this.#changed();
  }

  stream(episode: EpisodeId, delta: string): void {
    const now = this.#of.get(episode);
    this.#of.set(episode, { words: now?.words ?? '', text: `${now?.text ?? ''}${delta}`.slice(-TEXT_KEPT) });
    this.#changed();
  }

  clear(episode: EpisodeId): void {
    if (this.#of.delete(episode)) this.#changed();
  }
}
