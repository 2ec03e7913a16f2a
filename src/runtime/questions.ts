import type { Answer, Question } from '../core/ledger/events.ts';
import type { EpisodeId, FilePath } from '../core/ids.ts';
import { levelOf } from '../core/sandbox/network.ts';
import type { CommandPermissions } from './ports/person.ts';
import type { NetworkPermissions, Sandbox } from './ports/sandbox.ts';
import type { WorldLog } from './worldLog.ts';

/**
 * Questions that a tool call or a setup script waits for in the middle. They are facts of the ledger, so that every
 * window shows them; the answer comes back here. A restart finds the call interrupted and the model calls again.
 */
export class Questions {
  readonly #log: WorldLog;
  readonly #permissions: CommandPermissions;
  readonly #sandbox: Sandbox;
  readonly #network: NetworkPermissions;
  readonly #waiting = new Map<EpisodeId, (answer: Answer | null) => void>();
  /** What a person allowed or refused for the same file in this window. */
  readonly #shown = new Map<string, boolean>();
  /** Ports that the person wanted to stay closed, in this window. */
  readonly #closed = new Set<number>();
  /** Who waits to be told what of the network commands may reach: one answer is for all of them. */
  readonly #askNetwork = new Set<EpisodeId>();
  readonly #networkChanged: { dispose(): void };

  constructor(log: WorldLog, { permissions, sandbox, network }: { readonly permissions: CommandPermissions; readonly sandbox: Sandbox; readonly network: NetworkPermissions }) {
    this.#log = log;
    this.#permissions = permissions;
    this.#sandbox = sandbox;
    this.#network = network;
    this.#networkChanged = network.onChange(() => {
      // What cannot be written leaves the question standing, for the person to answer.
      void this.#answerNetwork().catch(() => undefined);
    });
  }

  dispose(): void {
    this.#networkChanged.dispose();
  }

  async mayRun(episode: EpisodeId, command: string, purpose: 'agent' | 'setup', signal: AbortSignal): Promise<{ allowed: true } | { allowed: false; why: string }> {
    if ((await this.#sandbox.settled()).kind === 'ready') return await this.#isNetworkKnown(episode, command, signal) ? { allowed: true } : { allowed: false, why: '' };
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

  async mayReach(episode: EpisodeId, port: number, signal: AbortSignal): Promise<boolean> {
    if (this.#closed.has(port)) return false;
    const answer = await this.#ask(episode, { kind: 'port', port }, signal);
    if (answer?.choice === 'refuse') this.#closed.add(port);
    return answer?.choice === 'allow';
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

  /** Asks where nobody has said yet; false where it was not answered. */
  async #isNetworkKnown(episode: EpisodeId, command: string, signal: AbortSignal): Promise<boolean> {
    if (this.#network.level() !== null) return true;
    this.#askNetwork.add(episode);
    const answer = await this.#ask(episode, { kind: 'network', command }, signal, () => this.#knownLevel());
    this.#askNetwork.delete(episode);
    const level = answer === null ? null : levelOf(answer.choice);
    if (answer === null || level === null) return false;
    // Also where it is known by now: whoever answers last means it.
    if (this.#network.level() !== level) await this.#network.rememberLevel(level);
    return true;
  }

  /** Answers everyone who asks what is known by now, by another's answer or by the person's setting. */
  async #answerNetwork(): Promise<void> {
    const known = this.#knownLevel();
    if (known === null) return;
    await Promise.all([...this.#askNetwork].map((episode) => this.#answerFor(episode, known)));
  }

  async #answerFor(episode: EpisodeId, answer: Answer): Promise<void> {
    if ((await this.#log.dispatch({ type: 'answer', episode, answer })).ok) this.deliver(episode, answer);
  }

  #knownLevel(): Answer | null {
    const level = this.#network.level();
    return level === null ? null : { choice: `network-${level}`, words: '' };
  }

  /** `settled` is looked at once the question stands: what was answered elsewhere while it was on its way was not for it. */
  async #ask(episode: EpisodeId, question: Question, signal: AbortSignal, settled: () => Answer | null = () => null): Promise<Answer | null> {
    const asked = await this.#log.dispatch({ type: 'ask', episode, question });
    if (!asked.ok || signal.aborted) return null;
    const answered = this.#answered(episode, signal);
    const known = settled();
    if (known !== null) await this.#answerFor(episode, known);
    return answered;
  }

  #answered(episode: EpisodeId, signal: AbortSignal): Promise<Answer | null> {
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
