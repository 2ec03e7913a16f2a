import type * as vscode from 'vscode';
import type { ModelRef } from '../../core/episode/model.ts';
import { parseToolless, toollessReason, withTools } from '../../core/models/toollessList.ts';
import { ModelError, type Models } from '../../runtime/ports/models.ts';

const KEY = 'worldtree.toollessModels';

/** Models that were found not to call tools, remembered on this machine. */
export class ToollessModels {
  readonly #memory: vscode.Memento;

  constructor(memory: vscode.Memento) {
    this.#memory = memory;
  }

  /** Why an agent cannot work with it; null where nothing speaks against it. */
  reason(model: ModelRef): string | null {
    return toollessReason(parseToolless(this.#memory.get(KEY)), model);
  }

  /** @param reason null where a test showed that it calls tools. */
  async remember(model: ModelRef, reason: string | null): Promise<void> {
    if (this.reason(model) !== reason) await this.#memory.update(KEY, withTools(parseToolless(this.#memory.get(KEY)), model, reason));
  }

  /** The same models, whose refusal of tools is remembered. */
  noticing(models: Models): Models {
    return {
      ask: async (request) => {
        try {
          return await models.ask(request);
        } catch (error) {
          if (error instanceof ModelError && error.failure.kind === 'fatal' && error.failure.why === 'no-tools') await this.remember(request.model, error.message);
          throw error;
        }
      },
    };
  }
}
