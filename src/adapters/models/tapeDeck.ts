import { homedir } from 'node:os';
import path from 'node:path';
import { unreachable } from '../../core/exhaustive.ts';
import { ModelError } from '../../core/episode/modelError.ts';
import type { TapeSetting } from '../../core/models/tapeSetting.ts';
import type { Models } from '../../runtime/ports/models.ts';
import { playTape, recordTape } from './tape.ts';
import type { Masked } from './tapeMask.ts';

interface DeckOptions {
  readonly models: Models;
  /** Read anew for each request. */
  readonly setting: () => TapeSetting;
  readonly masked: () => Promise<Masked>;
  readonly onProblem: (words: string) => void;
}

/** Models with a tape beside them, which a setting switches on: recording or playing goes on as long as the setting stays the same. */
export class TapeDeck implements Models {
  readonly #options: DeckOptions;
  #now: { readonly setting: string; readonly models: Models } | undefined;

  constructor(options: DeckOptions) {
    this.#options = options;
  }

  /** A tape that is played starts from its beginning. */
  rewind(): void {
    this.#now = undefined;
  }

  ask(...[request]: Parameters<Models['ask']>): ReturnType<Models['ask']> {
    const setting = this.#options.setting();
    const key = JSON.stringify(setting);
    if (this.#now?.setting !== key) this.#now = { setting: key, models: this.#modelsWith(setting) };
    return this.#now.models.ask(request);
  }

  #modelsWith(setting: TapeSetting): Models {
    const { models, masked, onProblem } = this.#options;
    switch (setting.mode) {
      case 'off': return models;
      case 'record': return recordTape(models, { file: atHome(setting.file), masked, onProblem });
      case 'play': return playTape({ file: atHome(setting.file), masked });
      case 'wrong': return { ask: () => Promise.reject(new ModelError({ kind: 'fatal', why: 'not-recorded' }, setting.words, 'Correct the setting, or switch the tape off.')) };
      default: return unreachable(setting);
    }
  }
}

function atHome(file: string): string {
  return file.startsWith('~') ? path.join(homedir(), file.slice(1)) : file;
}
