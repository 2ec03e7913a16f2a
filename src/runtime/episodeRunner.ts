import { evolveConversation, EMPTY_CONVERSATION, type Conversation } from '../core/episode/conversation.ts';
import { compactionThreshold } from '../core/episode/compaction.ts';
import { HostSummary } from '../core/episode/hostSummary.ts';
import { HistoryPage } from '../core/episode/historyPage.ts';
import { nextStep } from '../core/episode/nextStep.ts';
import { personsWords } from '../core/episode/personsWords.ts';
import type { Circumstances, Step } from '../core/episode/step.ts';
import { reviewFinish } from '../core/episode/finishReview.ts';
import type { ToolCall } from '../core/episode/model.ts';
import type { TranscriptEntry } from '../core/episode/transcript.ts';
import { unreachable } from '../core/exhaustive.ts';
import type { AbsolutePath, EpisodeId } from '../core/ids.ts';
import { ROLES } from '../core/roles.ts';
import { unreadableNameAnswer } from '../core/prompt/hostMessages.ts';
import { Refused } from '../core/refusal.ts';
import { isToolName, READING_TOOLS, TOOL_LIST, toolArguments } from '../core/tools/catalogue.ts';
import { parseArguments } from '../core/tools/parseArguments.ts';
import type { Episode } from '../core/world/state.ts';
import { baseOf } from '../core/world/state.ts';
import { firstMessagesFor } from './opening.ts';
import { modelTurn, type ModelTurnPorts } from './modelTurn.ts';
import { isWorktreeGone, type Proposals } from './proposals.ts';
import type { Questions } from './questions.ts';
import type { ToolContext, ToolResult } from './ports/tools.ts';
import type { WorldPorts } from './ports/worldPorts.ts';

/**
 * Drives one episode's loop: looks at the transcript, performs the next step, appends what came of it, until the
 * step is to wait. Nothing is kept here that the transcript does not hold.
 */
export class EpisodeRunner {
  readonly #ports: WorldPorts & ModelTurnPorts;
  readonly #proposals: Proposals;
  readonly #questions: Questions;
  readonly #id: EpisodeId;
  readonly #signal: AbortSignal;
  #conversation: Conversation = EMPTY_CONVERSATION;
  /** On their way to disk, with nothing in the world that depends on them yet. */
  readonly #behind = new Behind();

  constructor(ports: WorldPorts & ModelTurnPorts, proposals: Proposals, questions: Questions, id: EpisodeId, signal: AbortSignal) {
    this.#ports = ports;
    this.#proposals = proposals;
    this.#questions = questions;
    this.#id = id;
    this.#signal = signal;
  }

  /** Resolves when the episode waits for someone, has ended, or was aborted. Rejects only for what nobody foresaw. */
  async run(): Promise<void> {
    this.#conversation = await readConversation(this.#ports, this.#id);
    try {
      while (!this.#signal.aborted && this.#episode().phase.name === 'running') {
        const goesOn = await this.#perform(nextStep(this.#conversation, this.#circumstances()));
        if (!goesOn) break;
      }
    } finally {
      // Whoever works next reads the transcript.
      await this.#behind.caughtUp();
      this.#ports.live.clear(this.#id);
    }
  }

  #episode(): Episode {
    return this.#ports.log.episode(this.#id);
  }

  /** False when the loop stops here. */
  async #perform(step: Step): Promise<boolean> {
    const { log } = this.#ports;
    switch (step.do) {
      case 'say first messages':
        for (const message of await firstMessagesFor(this.#ports, this.#episode())) await this.#append({ type: 'said', at: log.now(), by: 'host', message });
        return true;
      case 'say':
        await this.#append({ type: 'said', at: log.now(), by: 'host', message: { role: 'user', text: step.text }, ...(step.warning === undefined ? {} : { warning: step.warning }), ...(step.asksFor === undefined ? {} : { asksFor: step.asksFor }), ...(step.hint === undefined ? {} : { hint: step.hint }) });
        return true;
      case 'pass on':
        await this.#append({ type: 'said', at: log.now(), by: 'person', message: { role: 'user', text: step.text }, upTo: step.upTo });
        return true;
      case 'compact':
        await this.#append({ type: 'compacted', at: log.now(), ...(step.summary === null ? { by: 'host', summary: await this.#ownSummary() } : { by: 'model', summary: step.summary }) });
        return true;
      case 'ask model': {
        await this.#behind.caughtUp();
        const turn = await modelTurn(this.#ports, this.#episode(), this.#conversation.messages, TOOL_LIST, this.#signal);
        if (turn.kind === 'too long') return this.#tooLong(turn.words);
        if (turn.kind !== 'replied') return false;
        const { message, end, usage } = turn.reply;
        const input = usage.fresh + usage.cached;
        await this.#append({ type: 'replied', at: log.now(), request: turn.request, message, end, ...(input > 0 ? { input } : {}) });
        return true;
      }
      case 'run call':
        await this.#runCall(step.call);
        return true;
      case 'answer call':
        await this.#answer(step.call, step.text);
        return true;
      case 'finish':
        return this.#finish(step.call);
      case 'ask person':
        await log.dispatch({ type: 'ask', episode: this.#id, question: step.question });
        return false;
      case 'hand in':
        await this.#proposals.handIn(this.#episode(), this.#conversation, step.why, step.otherwise);
        return false;
      case 'wait':
        return false;
      default:
        return unreachable(step);
    }
  }

  #circumstances(): Circumstances {
    const { settings } = this.#ports;
    const { spent, limits, messages, cancelling, model, role, world } = this.#episode();
    // A survey answers from its whole conversation by rules, and would write no summary.
    const compactAt = model.kind === 'survey' ? Infinity : compactionThreshold({ compactAt: settings.compactAt(), contextWindow: settings.contextWindow(model), maxOutputTokens: settings.maxOutputTokens(model) });
    return { turns: { used: spent.turns, most: limits.turns }, messages, cancelling, mayDelegate: ROLES[role].mayStart.length > 0, folder: world.path, compactAt };
  }

  /** Once it is made shorter by force; twice in a row the person is asked. */
  async #tooLong(words: string): Promise<boolean> {
    const { log } = this.#ports;
    if (this.#conversation.overflowed) {
      await log.dispatch({ type: 'ask', episode: this.#id, question: { kind: 'failed', words } });
      return false;
    }
    await this.#append({ type: 'overflowed', at: log.now(), words });
    return true;
  }

  async #ownSummary(): Promise<string> {
    const summary = new HostSummary();
    for await (const entry of this.#ports.transcripts.read(this.#id)) summary.add(entry);
    return summary.text;
  }

  async #runCall(call: ToolCall): Promise<void> {
    const { name } = call;
    if (!isToolName(name) || name === 'finish') {
      await this.#answer(call, `There is no tool named ${JSON.stringify(name)}. The tools are: ${Object.keys(toolArguments).join(', ')}.`);
      return;
    }
    const parsed = parseArguments(name, call.arguments);
    if (!parsed.ok) {
      await this.#answer(call, parsed.words);
      return;
    }
    const { log, clock, live } = this.#ports;
    const reads = READING_TOOLS.has(name);
    if (!reads) await this.#append({ type: 'called', at: log.now(), call: call.id });
    live.say(this.#id, `turn ${this.#episode().spent.turns}: ${summary(name, parsed.args)}`);
    const began = clock.monotonic();
    const result = name === 'read_history' ? await this.#readHistory(call) : await this.#ports.tools.run(name, parsed.args, this.#toolContext());
    if (this.#signal.aborted) return;
    const forced = name === 'write_file' && 'force' in parsed.args && parsed.args.force === true;
    const told = this.#append({ type: 'result', at: log.now(), call: call.id, text: result.text, ok: result.ok, wrote: result.wrote ?? null, forced, reviewed: false });
    // Twenty files read in one reply would wait for the disk forty times.
    if (reads) this.#behind.add(told);
    else await told;
    if (result.worktreeGone === true) {
      await this.#proposals.worktreeGone(this.#episode());
      return;
    }
    this.#behind.add(log.dispatch({ type: 'tool ran', episode: this.#id, name, ok: result.ok, ms: Math.round(clock.monotonic() - began) }));
  }

  #toolContext(): ToolContext {
    const episode = this.#episode();
    return {
      episode: episode.id, worktree: worktreeOf(episode), checkout: this.#ports.repository.checkout, folder: episode.world.path, base: baseOf(episode), brought: episode.brought, signal: this.#signal,
      mayRun: (command) => this.#questions.mayRun(this.#id, command, 'agent', this.#signal),
      mayReach: (port) => this.#questions.mayReach(this.#id, port, this.#signal),
      mayShow: (path) => this.#questions.mayShow(this.#id, path, this.#signal),
    };
  }

  /** The transcript keeps every original, also of what a summary took out of the window. */
  async #readHistory(call: ToolCall): Promise<ToolResult> {
    const parsed = parseArguments('read_history', call.arguments);
    if (!parsed.ok) return { text: parsed.words, ok: false };
    const page = new HistoryPage(parsed.args);
    for await (const entry of this.#ports.transcripts.read(this.#id)) page.add(entry);
    return { text: page.text, ok: true };
  }

  async #finish(call: ToolCall): Promise<boolean> {
    const { log, live } = this.#ports;
    const parsed = parseArguments('finish', call.arguments);
    if (!parsed.ok) {
      await this.#answer(call, parsed.words);
      return true;
    }
    live.say(this.#id, 'making the proposed change');
    const episode = this.#episode();
    const found = await this.#proposals.inspect(episode, this.#conversation).catch((error: unknown) => {
      if (isWorktreeGone(error)) return null;
      if (error instanceof Refused && error.refusal.reason === 'name-unreadable') return error.refusal;
      throw error;
    });
    if (found !== null && 'reason' in found) {
      await this.#answer(call, unreadableNameAnswer(found));
      return true;
    }
    if (found === null) {
      await this.#proposals.worktreeGone(episode);
      return false;
    }
    // Said while the worktree was looked at: the loop passes it on first.
    if (personsWords(this.#conversation, this.#circumstances()) !== null) return true;
    const review = reviewFinish({ outside: found.outside, ignored: found.ignored, nestedRepositories: found.nestedRepositories, insideSubmodules: found.insideSubmodules, includeOutside: parsed.args.include_outside === true, reviewedBefore: this.#conversation.finishReviewed });
    if (review !== null) {
      await this.#answer(call, review, true);
      return true;
    }
    if (found.inside.length + found.companions.length + found.outside.length === 0) {
      await log.dispatch({ type: 'end', episode: this.#id, outcome: 'no change', words: parsed.args.report });
      return false;
    }
    const candidate = await this.#proposals.make(episode, found, { subject: parsed.args.subject, report: parsed.args.report, source: 'agent' });
    // Said while it was made: the next finish makes it anew, under the same number.
    if (personsWords(this.#conversation, this.#circumstances()) !== null) return true;
    const proposed = await log.dispatch({ type: 'propose', episode: this.#id, candidate, replaces: null });
    // The ledger first: a crash before the transcript says so leaves a change that waits, and rework closes the call.
    if (proposed.ok) await this.#append({ type: 'finished', at: log.now(), call: call.id, number: candidate.number });
    return false;
  }

  /** Answers a call that was not carried out. */
  #answer(call: ToolCall, text: string, reviewed = false): Promise<void> {
    return this.#append({ type: 'result', at: this.#ports.log.now(), call: call.id, text, ok: false, wrote: null, forced: false, reviewed });
  }

  /** Resolves when it is on disk; entries get there in the order in which they were given. */
  async #append(entry: TranscriptEntry): Promise<void> {
    const written = this.#ports.transcripts.append(this.#id, [entry]);
    this.#conversation = evolveConversation(this.#conversation, entry);
    await written;
  }
}

/** Facts that are being written while the work goes on. What is asked of the world next waits until they are there. */
class Behind {
  #all: Promise<unknown> = Promise.resolve();

  add(fact: Promise<unknown>): void {
    this.#all = Promise.all([this.#all, fact]);
    // Told to whoever waits for it next.
    this.#all.catch(() => undefined);
  }

  async caughtUp(): Promise<void> {
    await this.#all;
  }
}

export async function readConversation(ports: Pick<WorldPorts, 'transcripts'>, id: EpisodeId): Promise<Conversation> {
  let conversation = EMPTY_CONVERSATION;
  for await (const entry of ports.transcripts.read(id)) conversation = evolveConversation(conversation, entry);
  return conversation;
}

function worktreeOf(episode: Episode): AbsolutePath {
  if (episode.worktree === null) throw new Error(`${episode.id} runs without a worktree`);
  return episode.worktree;
}

/** What the Agents view shows while a call runs: the tool and the one argument that says most. */
function summary(name: string, args: object): string {
  const telling = ['command', 'path', 'pattern', 'folder'].map((key) => (args as Record<string, unknown>)[key]).find((v) => typeof v === 'string');
  return typeof telling === 'string' ? `${name === 'run' ? 'run' : name.replace('_', ' ')} ${telling.split('\n', 1)[0]?.slice(0, 80) ?? ''}` : name.replace('_', ' ');
}
