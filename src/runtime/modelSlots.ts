import type { EpisodeId } from '../core/ids.ts';
import { nextInLine, type InLine } from '../core/limits/slots.ts';

/** One of the requests that a model takes at the same time. */
export interface Slot {
  /** A request is going out in it: the provider's cache knows its conversation from now on. */
  use(): void;
  /** Gives it back; a second time does nothing. */
  free(): void;
}

interface SlotRequest extends Omit<InLine, 'passedOver'> {
  /** Requests with the same key share slots. */
  readonly key: string;
  readonly slots: number;
  readonly signal: AbortSignal;
  /** Called where it has to wait, before it does. */
  readonly onWait: () => void;
}

/**
 * The slots of each server, over all repositories of a window. A slot is held while a request is under way and
 * at no other time: not between turns, not while backing off, not by a parent that waits for its children.
 */
export class ModelSlots {
  readonly #models = new Map<string, OfModel>();
  readonly #served = new Map<EpisodeId, number>();
  #turns = 0;

  /** Null where the signal came first. */
  async take(request: SlotRequest): Promise<Slot | null> {
    if (request.signal.aborted) return null;
    const model = this.#models.get(request.key) ?? { slots: request.slots, held: 0, waiting: [] };
    this.#models.set(request.key, model);
    model.slots = request.slots;
    if (model.held < model.slots && model.waiting.length === 0) return this.#give(model, request.episode);
    return new Promise((resolve) => {
      const waiting: Waiting = { episode: request.episode, depth: request.depth, passedOver: 0, give: (slot) => {
        request.signal.removeEventListener('abort', leave);
        resolve(slot);
      } };
      const leave = (): void => {
        model.waiting.splice(model.waiting.indexOf(waiting), 1);
        resolve(null);
      };
      request.signal.addEventListener('abort', leave, { once: true });
      model.waiting.push(waiting);
      request.onWait();
      // More slots than before may be there: a setting was changed.
      this.#serve(model);
    });
  }

  #give(model: OfModel, episode: EpisodeId): Slot {
    model.held += 1;
    let held = true;
    return {
      use: () => void this.#served.set(episode, ++this.#turns),
      free: () => {
        if (!held) return;
        held = false;
        model.held -= 1;
        this.#serve(model);
      },
    };
  }

  #serve(model: OfModel): void {
    while (model.held < model.slots) {
      const next = nextInLine(model.waiting, this.#served);
      if (next === undefined) return;
      const place = model.waiting.indexOf(next);
      for (const earlier of model.waiting.slice(0, place)) earlier.passedOver += 1;
      model.waiting.splice(place, 1);
      next.give(this.#give(model, next.episode));
    }
  }
}

interface Waiting extends InLine {
  passedOver: number;
  readonly give: (slot: Slot) => void;
}

interface OfModel {
  slots: number;
  held: number;
  readonly waiting: Waiting[];
}
