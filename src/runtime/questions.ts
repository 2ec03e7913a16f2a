import type { Answer, Question } from '../core/ledger/events.ts';
import type { EpisodeId, FilePath } from '../core/ids.ts';
import type { CommandPermissions } from './ports/person.ts';
import type { WorldLog } from './worldLog.ts';

/**
 * Questions that a tool call or a setup script waits for in the middle. They are facts of the ledger, so that every
 * window shows them; the answer comes back here. A restart finds the call interrupted and the model calls again.
 */
export class Questions {
  readonly #log: WorldLog;
  readonly #permissions: CommandPermissions;
  readonly #waiting = new Map<EpisodeId, (answer: Answer | null) => void>();
  /** What a person allowed or refused for the same file in this window. */
  readonly #shown = new Map<string, boolean>();

  constructor(log: WorldLog, permissions: CommandPermissions) {
    this.#log = log;
    this.#permissions = permissions;
  }

  async mayRun(episode: EpisodeId, command: string, purpose: 'agent' | 'setup', signal: AbortSignal): Promise<{ allowed: true } | { allowed: false; why: string }> {
    if (this.#permissions.allows(command)) return { allowed: true };
    const prefix = this.#permissions.prefixOf(command);
    const answer = await this.#ask(episode, { kind: 'run', command, prefix: prefix === null ? null : [...prefix], purpose }, signal);
    switch (answer?.choice) {
      case 'always':
        if (prefix !== null) await this.#permissions.remember(prefix);
        return { allowed: true };
      case 'run':
        return { allowed: true };
      default:
        return { allowed: false, why: answer?.words ?? '' };
    }
  }

  async mayShow(episode: EpisodeId, path: FilePath, signal: AbortSignal): Promise<boolean> {
    const key = `${episode} ${path}`;
    const known = this.#shown.get(key);
    if (known !== undefined) return known;
    const answer = await this.#ask(episode, { kind: 'secret', path }, signal);
    const may = answer?.choice === 'show';
    if (answer !== null) this.#shown.set(key, may);
    return may;
  }

  /** Hands an answer to whoever waits for it here; nothing happens when nobody does. */
  deliver(episode: EpisodeId, answer: Answer): void {
    this.#waiting.get(episode)?.(answer);
  }

  async #ask(episode: EpisodeId, question: Question, signal: AbortSignal): Promise<Answer | null> {
    const asked = await this.#log.dispatch({ type: 'ask', episode, question });
    if (!asked.ok || signal.aborted) return null;
    return new Promise((resolve) => {
      const done = (answer: Answer | null): void => {
        this.#waiting.delete(episode);
        signal.removeEventListener('abort', cancelled);
        resolve(answer);
      };
      const cancelled = (): void => done(null);
      signal.addEventListener('abort', cancelled);
      this.#waiting.set(episode, done);
    });
  }
}
