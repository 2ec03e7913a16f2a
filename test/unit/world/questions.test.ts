import { describe, expect, it } from 'vitest';
import { filePath } from '../../../src/core/ids.ts';
import type { Answer, LedgerEvent, Question } from '../../../src/core/ledger/events.ts';
import { DELEGATION_LIMITS, type Limits } from '../../../src/core/limits/limits.ts';
import { choicesOf } from '../../../src/core/world/deciders/answer.ts';
import type { Effect } from '../../../src/core/world/decision.ts';
import { answered, asked, AT_WORK, E1, ended, interrupted, messaged, prepared, requested, resumed, started, UNKNOWN, usageOf, WAITING, WORKTREE } from '../../support/facts.ts';
import { given } from '../../support/given.ts';

const RUN: Question = { kind: 'run', command: 'npm test', prefix: ['npm', 'test'], purpose: 'agent' };
const COMPOUND: Question = { kind: 'run', command: 'npm test && rm -r dist', prefix: null, purpose: 'agent' };
const SECRET: Question = { kind: 'secret', path: filePath.parse('.env') };
const STUCK: Question = { kind: 'stuck', call: 'run {"command":"npm test"}', times: 5 };
const FAILED: Question = { kind: 'failed', words: 'The server is not there.' };
const CUT_OFF: Question = { kind: 'interrupted', since: 0, resendTokens: 1000, resendUsd: 0.01 };
const limit = (name: Extract<Question, { kind: 'limit' }>['limit']): Question => ({ kind: 'limit', limit: name, used: 2, cap: 2 });

const HALT: Effect = { do: 'halt', episode: E1 };
const GO_ON: Effect = { do: 'continue', episode: E1 };
const STOPPED = 'Stopped by the person before the agent had finished.';
const UNFINISHED = 'Handed in unfinished, by the person’s word.';

describe('asking the person', () => {
  it.each([RUN, SECRET, STUCK, FAILED, limit('cost')])('stops the agent until the answer ($kind)', (question) => {
    const after = given(...AT_WORK).when({ type: 'ask', episode: E1, question }).then({ events: [asked(question)] });
    expect(after.episode.phase).toMatchObject({ name: 'asking', question });
    after.when({ type: 'request model', episode: E1, at: after.now, estimate: { fresh: 1, cached: 0, output: 1, reasoning: 0 }, usd: 0 }).refuses('wrong-state');
  });

  it('is possible while the worktree is still made: setup wants to run a command', () => {
    given(started()).when({ type: 'ask', episode: E1, question: { ...RUN, purpose: 'setup' } }).isAccepted();
  });

  it('counts a request that its loop has lost, which would else hold its reservation for ever', () => {
    const after = given(...AT_WORK, requested(1, { fresh: 1000 }, 0.5)).when({ type: 'ask', episode: E1, question: FAILED }).then({
      events: [{ type: 'model.failed', episode: E1, request: 1, words: 'The agent stopped to ask while this request was in flight.', usage: usageOf({ fresh: 1000 }), usd: 0.5, estimated: true }, asked(FAILED)],
    });
    expect(after.episode.spent).toMatchObject({ usd: 0.5, inFlight: new Map() });
  });

  it('is one question at a time, and none after the end', () => {
    given(...AT_WORK, asked(RUN)).when({ type: 'ask', episode: E1, question: SECRET }).refuses('wrong-state');
    given(...AT_WORK, ended('no change')).when({ type: 'ask', episode: E1, question: FAILED }).refuses('wrong-state');
    given(...WAITING).when({ type: 'ask', episode: E1, question: FAILED }).refuses('wrong-state');
    given(...AT_WORK).when({ type: 'ask', episode: UNKNOWN, question: FAILED }).refuses('episode-unknown');
  });
});

/** What each answer to each question leads to besides `episode.answered`; whoever adds an answer has to say it here. */
const answers: readonly (readonly [question: Question, choice: Answer['choice'], effects: readonly Effect[]])[] = [
  ...(['cost', 'fresh tokens', 'tokens', 'turns', 'time'] as const).map((name) => [limit(name), 'raise', [GO_ON]] as const),
  ...(['daily cost', 'daily tokens'] as const).map((name) => [limit(name), 'raise', [{ do: 'raise daily cap', episode: E1, limit: name }, GO_ON]] as const),
  // The tool call that asked still waits for its answer: it goes on there, not in a second loop.
  [RUN, 'run', []], [RUN, 'always', []], [RUN, 'refuse', []],
  [COMPOUND, 'run', []], [COMPOUND, 'refuse', []],
  [SECRET, 'show', []], [SECRET, 'refuse', []],
  [STUCK, 'message', [GO_ON]],
  [FAILED, 'retry', [GO_ON]],
];

describe('an answer that lets the agent go on', () => {
  it.each(answers)('%j, answered with %s', (question, choice, effects) => {
    // A word to a stuck agent is a message like any other: told once, whatever happens on the way.
    const told = choice === 'message' ? [messaged(1, 'as I said')] : [];
    const after = given(...AT_WORK, asked(question)).when({ type: 'answer', episode: E1, answer: { choice, words: 'as I said' } }).then({ events: [...told, answered(choice, 'as I said')], effects });
    expect(after.episode.phase.name).toBe('running');
  });

  it('to an episode that asked in the middle of its setup goes on preparing', () => {
    const after = given(started(), asked({ ...RUN, purpose: 'setup' })).when({ type: 'answer', episode: E1, answer: { choice: 'run', words: '' } }).then({ events: [answered('run')] });
    expect(after.episode.phase.name).toBe('preparing');
  });

  it('to a worktree that could not be made makes it again', () => {
    const after = given(started(), asked(FAILED)).when({ type: 'answer', episode: E1, answer: { choice: 'retry', words: '' } }).then({ events: [answered('retry')], effects: [{ do: 'prepare worktree', episode: E1 }] });
    expect(after.episode.phase.name).toBe('preparing');
  });

  it('resume', () => {
    for (const past of [[interrupted()], [asked(CUT_OFF)]]) {
      const after = given(...AT_WORK, ...past).when({ type: 'answer', episode: E1, answer: { choice: 'resume', words: '' } }).then({ events: [resumed()], effects: [GO_ON] });
      expect(after.episode.phase.name).toBe('running');
    }
    given(started(), interrupted()).when({ type: 'answer', episode: E1, answer: { choice: 'resume', words: '' } }).then({ events: [resumed()], effects: [{ do: 'prepare worktree', episode: E1 }] });
  });
});

describe('an answer that ends the agent', () => {
  const endings: readonly (readonly [Question, 'stop' | 'hand-in', 'cancelled' | 'failed' | 'stuck' | 'out of turns'])[] = [
    [limit('turns'), 'hand-in', 'out of turns'], [limit('turns'), 'stop', 'out of turns'], [limit('cost'), 'stop', 'cancelled'], [limit('daily tokens'), 'hand-in', 'cancelled'],
    [RUN, 'stop', 'cancelled'], [COMPOUND, 'stop', 'cancelled'], [SECRET, 'stop', 'cancelled'],
    [STUCK, 'stop', 'stuck'], [STUCK, 'hand-in', 'stuck'],
    [FAILED, 'stop', 'cancelled'], [FAILED, 'hand-in', 'failed'],
    [CUT_OFF, 'stop', 'cancelled'], [CUT_OFF, 'hand-in', 'cancelled'],
  ];

  it.each(endings)('%j, answered with %s: what it has becomes a change, else it ends as %s', (question, choice, otherwise) => {
    const after = given(...AT_WORK, asked(question)).when({ type: 'answer', episode: E1, answer: { choice, words: '' } }).then({
      events: [answered(choice), interrupted()],
      effects: [HALT, { do: 'hand in', episode: E1, why: choice === 'stop' ? STOPPED : UNFINISHED, otherwise }],
    });
    // Not at work: a crash before the hand-in must not send the agent back to work.
    expect(after.episode.phase.name).toBe('interrupted');
  });

  it.each(endings)('%j before there is a worktree, answered with %s: it ends as %3$s', (question, choice, outcome) => {
    const after = given(started(), asked(question)).when({ type: 'answer', episode: E1, answer: { choice, words: '' } }).then({
      events: [answered(choice), ended(outcome, choice === 'stop' ? STOPPED : UNFINISHED)],
      effects: [HALT, { do: 'close', episode: E1 }],
    });
    expect(after.episode.phase).toMatchObject({ name: 'ended', outcome });
  });

  it('after an interruption takes what the worktree holds', () => {
    given(...AT_WORK, interrupted()).when({ type: 'answer', episode: E1, answer: { choice: 'hand-in', words: '' } }).then({
      events: [answered('hand-in')],
      effects: [HALT, { do: 'hand in', episode: E1, why: UNFINISHED, otherwise: 'cancelled' }],
    });
  });
});

describe('an answer that only some failures take', () => {
  const NO_FILTER: Question = { kind: 'failed', words: 'git-lfs could not be run.', also: ['without-filters'] };
  const NO_HAND_IN: Question = { kind: 'failed', words: 'A file could not be read.', also: ['keep'] };

  it('makes the worktree with the filters off, now and whenever it is made again', () => {
    const after = given(started(), asked(NO_FILTER)).when({ type: 'answer', episode: E1, answer: { choice: 'without-filters', words: '' } }).then({ events: [answered('without-filters')], effects: [{ do: 'prepare worktree', episode: E1 }] });
    expect(after.episode).toMatchObject({ withoutFilters: true, phase: { name: 'preparing' } });
  });

  it('ends the agent and leaves its files where they are, in words that say where', () => {
    const asking = given(...AT_WORK, asked(NO_HAND_IN)).when({ type: 'answer', episode: E1, answer: { choice: 'keep', words: '' } });
    const { episode } = asking.isAccepted();
    expect(episode).toMatchObject({ worktreeKept: true, phase: { name: 'ended', outcome: 'failed' } });
    expect(episode.phase.name === 'ended' && episode.phase.words).toContain(WORKTREE);
  });

  it('is not taken by a failure that does not offer it', () => {
    for (const choice of ['without-filters', 'keep'] as const) given(...AT_WORK, asked(FAILED)).when({ type: 'answer', episode: E1, answer: { choice, words: '' } }).refuses('wrong-state');
  });
});

describe('an answer', () => {
  const everything: readonly Answer['choice'][] = ['raise', 'hand-in', 'stop', 'run', 'always', 'refuse', 'show', 'message', 'retry', 'resume', 'without-filters', 'keep', 'network-registries', 'network-on', 'network-off', 'allow'];
  const questions: readonly Question[] = [limit('cost'), RUN, COMPOUND, { kind: 'network', command: 'npm ci' }, { kind: 'port', port: 5432 }, SECRET, STUCK, FAILED, CUT_OFF];

  it.each(questions)('that the question does not take is refused ($kind)', (question) => {
    const offered = choicesOf(question);
    for (const choice of everything) {
      const asking = given(...AT_WORK, asked(question)).when({ type: 'answer', episode: E1, answer: { choice, words: '' } });
      if (offered.includes(choice)) asking.isAccepted();
      else asking.refuses('wrong-state');
    }
    expect(offered).toContain('stop');
  });

  it('“always” is not offered where there is no prefix to remember', () => {
    expect(choicesOf(COMPOUND)).not.toContain('always');
  });

  it.each<readonly [string, readonly LedgerEvent[]]>([['at work', AT_WORK], ['preparing', [started()]], ['waiting for a verdict', WAITING], ['at its end', [...AT_WORK, ended('no change')]]])('to an agent that is %s is refused', (_words, past) => {
    given(...past).when({ type: 'answer', episode: E1, answer: { choice: 'stop', words: '' } }).refuses('wrong-state');
  });

  it('comes once: the second of two windows is told', () => {
    given(...AT_WORK, asked(RUN), answered('run')).when({ type: 'answer', episode: E1, answer: { choice: 'refuse', words: '' } }).refuses('wrong-state');
  });
});

describe('raising a limit', () => {
  const raised: readonly (readonly [Extract<Question, { kind: 'limit' }>['limit'], Partial<Limits>])[] = [
    ['cost', { costUsd: 4 }], ['fresh tokens', { freshTokens: 6_000_000 }], ['tokens', { allTokens: 40_000_000 }], ['turns', { turns: 256 }], ['time', { wallMs: 120 * 60_000 }],
    ['daily cost', {}], ['daily tokens', {}],
  ];

  it.each(raised)('%s doubles that one and no other: %j', (name, change) => {
    expect(given(started(), prepared(), asked(limit(name)), answered('raise')).episode.limits).toEqual({ ...DELEGATION_LIMITS, ...change });
  });
});
