import { unreachable } from '../exhaustive.ts';
import type { Answer, Question } from '../ledger/events.ts';
import { duration, oneLine, thousands, tokens, usd } from './amounts.ts';

type Choice = Answer['choice'];

export interface QuestionChoice {
  readonly choice: Choice;
  readonly label: string;
  /** What the person is asked for together with the choice; null where the choice says it all. */
  readonly asksFor: string | null;
}

/** A question of an agent as the person sees it. */
export interface QuestionWords {
  /** A few words for a row: `asks to run npm test`. */
  readonly short: string;
  /** The whole question, without who asks. */
  readonly sentence: string;
  /** More to read before answering; may be empty. */
  readonly detail: string;
  /** The first is the one that lets it go on. */
  readonly choices: readonly QuestionChoice[];
  /** A text that has to be seen whole before it is allowed; null where the sentence shows it all. */
  readonly whole: string | null;
}

/** Characters of a command that are shown in a sentence. VS Code cuts a message at 1,000. */
const MOST_SHOWN = 300;

const STOP: QuestionChoice = { choice: 'stop', label: 'Stop', asksFor: null };
const ALSO: Readonly<Record<'without-filters' | 'keep', QuestionChoice>> = {
  'without-filters': { choice: 'without-filters', label: 'Start Without Filters', asksFor: null },
  keep: { choice: 'keep', label: 'End It, Keep Its Files', asksFor: null },
};
const HAND_IN: QuestionChoice = { choice: 'hand-in', label: 'Propose What It Has', asksFor: null };

export function questionWords(question: Question): QuestionWords {
  switch (question.kind) {
    case 'limit': return limitWords(question);
    case 'run': return runWords(question);
    case 'network': return networkWords(question.command);
    case 'port': return {
      short: `asks for port ${question.port} of this machine`,
      sentence: `ran a command that looked for something on port ${question.port} of this machine, where something listens.`,
      detail: 'The sandbox keeps it closed. If you allow it, all commands of this repository reach it from now on.',
      choices: [{ choice: 'allow', label: 'Allow It Here', asksFor: null }, { choice: 'refuse', label: 'Keep It Closed', asksFor: null }],
      whole: null,
    };
    case 'secret': return {
      short: `asks to read ${question.path}`,
      sentence: `wants to show ${question.path} to its model.`,
      detail: 'The file is not under git; it was copied into the worktree and may hold secrets.',
      choices: [{ choice: 'show', label: 'Show It', asksFor: null }, { choice: 'refuse', label: 'Keep It Back', asksFor: null }],
      whole: null,
    };
    case 'stuck': return {
      short: `stuck: ${question.call}`,
      sentence: `made the same call ${question.times} times with the same result: ${question.call}.`,
      detail: 'A word from you may get it going again.',
      choices: [{ choice: 'message', label: 'Say Something…', asksFor: 'What should the agent know or try?' }, STOP],
      whole: null,
    };
    case 'failed': return {
      short: `failed: ${question.words}`,
      sentence: `cannot go on: ${question.words}`,
      detail: 'What it has done so far is kept.',
      choices: [{ choice: 'retry', label: 'Try Again', asksFor: null }, ...(question.also ?? []).map((choice) => ALSO[choice]), HAND_IN, STOP],
      whole: null,
    };
    case 'interrupted': {
      const price = question.resendUsd === null ? `${tokens(question.resendTokens)} tokens` : `${tokens(question.resendTokens)} tokens, about ${usd(question.resendUsd)}`;
      return {
        short: 'interrupted',
        sentence: 'was interrupted.',
        detail: `Its work is kept. Going on sends its conversation again: ${price}.`,
        choices: [{ choice: 'resume', label: 'Go On', asksFor: null }, HAND_IN, STOP],
        whole: null,
      };
    }
    default: return unreachable(question);
  }
}

/** Choices for an agent whose phase is `interrupted` and that has asked nothing. */
export const INTERRUPTED_WORDS: QuestionWords = {
  short: 'interrupted',
  sentence: 'was interrupted.',
  detail: 'Its work is kept. Going on sends its conversation to the model again.',
  choices: [{ choice: 'resume', label: 'Go On', asksFor: null }, HAND_IN, STOP],
  whole: null,
};

/** A remembered prefix as a person would type it. */
function prefixWords(prefix: readonly string[]): string {
  return prefix.map((part) => (/^[\w@%+=:,./-]+$/.test(part) ? part : `'${part.replaceAll("'", `'\\''`)}'`)).join(' ');
}

function runWords(question: Extract<Question, { kind: 'run' }>): QuestionWords {
  const { command, prefix, purpose } = question;
  const always: QuestionChoice[] = prefix === null ? [] : [{ choice: 'always', label: `Always Run “${prefixWords(prefix)}” Here`, asksFor: null }];
  // Line breaks are lost in a message, and what is invisible can make a command read as another.
  const whole = command.length > MOST_SHOWN || /[\p{Cc}\p{Cf}]/u.test(command) ? command : null;
  const shown = whole === null ? `“${command}”` : `a command that does not fit here: “${oneLine(command.replace(/[\p{Cc}\p{Cf}]/gu, ' '), 80)}”`;
  return {
    short: `asks to run ${oneLine(command, MOST_SHOWN)}`,
    sentence: `${runPurpose(purpose)} ${shown}.`,
    whole,
    detail: `There is no sandbox: the command can do whatever you can on this machine.${prefix === null ? ' It is not one simple command, so it cannot be remembered.' : ''}`,
    choices: [
      { choice: 'run', label: 'Run', asksFor: null },
      ...always,
      { choice: 'refuse', label: 'Don’t…', asksFor: purpose === 'agent' ? 'Why not, or what should it do instead? The agent reads this.' : 'Why not? (may be left empty)' },
    ],
  };
}

/** Asked once for a repository; the sandbox holds whatever is answered. */
function networkWords(command: string): QuestionWords {
  return {
    short: 'asks what of the network commands may reach',
    sentence: `is about to run the first command here, “${oneLine(command.replace(/[\p{Cc}\p{Cf}]/gu, ' '), 80)}”. What may this repository’s commands reach?`,
    detail: 'They run in a sandbox: they write nothing but the worktree and caches, and read no keys. Your answer is kept for this repository; the setting worldtree.sandbox.network goes before it.',
    choices: [
      { choice: 'network-registries', label: 'Package Registries', asksFor: null },
      { choice: 'network-on', label: 'The Whole Network', asksFor: null },
      { choice: 'network-off', label: 'Nothing', asksFor: null },
    ],
    whole: null,
  };
}

function runPurpose(purpose: Extract<Question, { kind: 'run' }>['purpose']): string {
  switch (purpose) {
    case 'agent': return 'wants to run';
    case 'setup': return 'needs the repository’s setup to run';
    case 'check': return 'needs a check to run';
    case 'hook': return 'needs the repository’s commit hook to run';
  }
}

function limitWords(question: Extract<Question, { kind: 'limit' }>): QuestionWords {
  const { limit, used, cap } = question;
  const day = limit === 'daily cost' || limit === 'daily tokens';
  const words = amountWords(limit);
  return {
    short: day ? `today’s limit of ${words(cap)} is reached` : `limit of ${words(cap)} is reached`,
    sentence: day ? `stands still: ${words(used)} of today’s ${words(cap)} for this machine are used up.` : `has used up its limit of ${words(cap)} (${words(used)} so far).`,
    detail: day ? 'The limit counts all windows and repositories of this machine.' : 'Nothing is spent while it waits for you.',
    choices: [{ choice: 'raise', label: day ? `Add ${words(cap)} for Today` : `Raise to ${words(cap * 2)}`, asksFor: null }, HAND_IN, STOP],
    whole: null,
  };
}

function amountWords(limit: Extract<Question, { kind: 'limit' }>['limit']): (n: number) => string {
  switch (limit) {
    case 'cost': case 'daily cost': return usd;
    case 'fresh tokens': return (n) => `${tokens(n)} fresh tokens`;
    case 'tokens': case 'daily tokens': return (n) => `${tokens(n)} tokens`;
    case 'turns': return (n) => `${thousands(n)} turns`;
    case 'time': return duration;
  }
}
