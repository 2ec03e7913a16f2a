import type * as vscode from 'vscode';
import { agentName, outcomeWords } from '../../core/projections/episodeWords.ts';
import { lineTotals, candidateFiles } from '../../core/candidate/candidate.ts';
import { currentCandidate, type Episode, type Phase } from '../../core/world/state.ts';
import { guarded, inBackground, tellDone } from '../tellPerson.ts';
import { allAgents, episodeOf, onAnyChange, worldKey, type Agent, type Worlds } from '../worlds.ts';
import { askInNotification, openQuestion, type AnswerPlaces } from './answerQuestion.ts';

interface NotificationActions extends AnswerPlaces {
  readonly openChanges: (agent: Agent) => Promise<void>;
  readonly showAgent: (agent: Agent) => Promise<void>;
}

/**
 * Tells about what happens while nobody looks: a question, a proposed change, an end that is no verdict. Questions come
 * one at a time; the others wait in Agents and its badge. Only the window whose buttons work tells.
 */
export class Notifications implements vscode.Disposable {
  readonly #worlds: Worlds;
  readonly #actions: NotificationActions;
  readonly #seen = new Map<string, Phase>();
  readonly #subscription: { dispose(): void };
  #asking = false;
  #queue: Agent[] = [];
  #started = false;

  constructor(worlds: Worlds, actions: NotificationActions) {
    this.#worlds = worlds;
    this.#actions = actions;
    this.#subscription = onAnyChange(worlds, () => this.#look());
    this.#look();
    this.#started = true;
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  #look(): void {
    for (const { agent, episode } of allAgents(this.#worlds)) {
      const key = `${worldKey(agent.world)}#${agent.id}`;
      const before = this.#seen.get(key);
      const { phase } = episode;
      this.#seen.set(key, phase);
      if (agent.world.readOnly() !== null || isSame(before, phase)) continue;
      // What was there when the window opened is in the views; only a question that waits is worth an interruption.
      const isNews = this.#started && before !== undefined;
      // An agent that was stopped is cut off for a moment, while what it has is taken: nothing to ask about.
      const beingHandedIn = phase.name === 'interrupted' && agent.world.live(agent.id) !== undefined;
      if (phase.name === 'asking' || (phase.name === 'interrupted' && !beingHandedIn)) this.#enqueue(agent);
      else if (isNews && phase.name === 'waiting' && (before.name === 'running' || before.name === 'preparing' || before.name === 'interrupted')) this.#tellProposal(agent, episode);
      else if (isNews && phase.name === 'ended' && before.name !== 'waiting' && before.name !== 'judging') this.#tellEnd(agent, episode);
    }
  }

  #enqueue(agent: Agent): void {
    this.#queue.push(agent);
    if (this.#asking) return;
    this.#asking = true;
    inBackground(this.#askAll());
  }

  async #askAll(): Promise<void> {
    try {
      for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
        const agent = next;
        const episode = episodeOf(agent);
        if (episode && openQuestion(episode)) await guarded('Answering', () => Promise.race([askInNotification(agent, this.#actions), this.#untilAnsweredElsewhere(agent, episode)]));
      }
    } finally {
      this.#asking = false;
    }
  }

  /** A notification cannot be taken back, but it must not keep the next question waiting for ever. */
  #untilAnsweredElsewhere(agent: Agent, asked: Episode): Promise<void> {
    return new Promise((resolve) => {
      const subscription = agent.world.onChange(() => {
        if (isSame(asked.phase, episodeOf(agent)?.phase)) return;
        subscription.dispose();
        resolve();
      });
    });
  }

  #tellProposal(agent: Agent, episode: Episode): void {
    const candidate = currentCandidate(episode);
    if (!candidate) return;
    const { added, removed } = lineTotals(candidateFiles(candidate));
    inBackground(tellDone(`${agentName(episode)} proposes a change: ${candidate.subject} (+${String(added)} −${String(removed)})`, [{ label: 'Open Changes', run: () => guarded('Opening the changes', () => this.#actions.openChanges(agent)) }]));
  }

  #tellEnd(agent: Agent, episode: Episode): void {
    if (episode.phase.name !== 'ended' || episode.phase.outcome === 'cancelled') return;
    const words = episode.phase.words === '' ? '' : `: ${episode.phase.words}`;
    inBackground(tellDone(`${agentName(episode)}: ${outcomeWords(episode.phase.outcome)}${words}`, [{ label: 'Show Agent', run: () => this.#actions.showAgent(agent) }]));
  }
}

function isSame(a: Phase | undefined, b: Phase | undefined): boolean {
  if (a === b) return true;
  if (!a || !b || a.name !== b.name) return false;
  if ('since' in a && 'since' in b) return a.since === b.since;
  return true;
}
