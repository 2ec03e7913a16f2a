import { describe, expect, test } from 'vitest';
import { filePath } from '../../../src/core/ids.ts';
import { answer, type Question } from '../../../src/core/ledger/events.ts';
import { questionWords } from '../../../src/core/projections/questionWords.ts';

const labels = (question: Question) => questionWords(question).choices.map((choice) => choice.label);

describe('a question of an agent in words', () => {
  test('a limit names what is used, offers twice as much, handing in and stopping', () => {
    const question: Question = { kind: 'limit', limit: 'cost', used: 1.99, cap: 2 };
    expect(questionWords(question).sentence).toBe('has used up its limit of $2.00 ($1.99 so far).');
    expect(labels(question)).toEqual(['Raise to $4.00', 'Propose What It Has', 'Stop']);
  });

  test('a day’s limit says that it is the machine’s', () => {
    const question: Question = { kind: 'limit', limit: 'daily cost', used: 20, cap: 20 };
    expect(questionWords(question).detail).toContain('all windows');
    expect(labels(question)[0]).toBe('Add $20.00 for Today');
  });

  test.for([['turns', 128, 'Raise to 256 turns'], ['time', 3_600_000, 'Raise to 2 h'], ['tokens', 20_000_000, 'Raise to 40 M tokens'], ['fresh tokens', 3_000_000, 'Raise to 6 M fresh tokens']] as const)('a limit of %s is raised in its own unit', ([limit, cap, label]) => {
    expect(labels({ kind: 'limit', limit, used: cap, cap })[0]).toBe(label);
  });

  test('a command shows what would be remembered, as it would be typed', () => {
    expect(labels({ kind: 'run', command: "npm test -- 'a b'", prefix: ['npm', 'test', '--', 'a b'], purpose: 'agent' })).toEqual(['Run', "Always Run “npm test -- 'a b'” Here", 'Don’t…']);
  });

  test('a command that is more than one simple command cannot be remembered', () => {
    const question: Question = { kind: 'run', command: 'npm ci && npm test', prefix: null, purpose: 'agent' };
    expect(labels(question)).toEqual(['Run', 'Don’t…']);
    expect(questionWords(question).detail).toContain('cannot be remembered');
  });

  test('a command that a message cannot show as it is has to be seen whole first', () => {
    const whole = (command: string) => questionWords({ kind: 'run', command, prefix: null, purpose: 'agent' }).whole;
    expect(whole('npm test')).toBeNull();
    for (const command of ['npm test\nrm -rf ~', `echo ${'x'.repeat(300)}`, 'echo a\u202eb', 'echo \u001b[8m; rm x']) {
      expect(whole(command)).toBe(command);
      const { sentence } = questionWords({ kind: 'run', command, prefix: null, purpose: 'check' });
      expect(sentence).toContain('does not fit here');
      expect(sentence).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      expect(sentence.length).toBeLessThan(200);
    }
  });

  test('going on after an interruption names its price', () => {
    expect(questionWords({ kind: 'interrupted', since: 0, resendTokens: 120_000, resendUsd: 0.17 }).detail).toContain('120 k tokens, about $0.17');
    expect(questionWords({ kind: 'interrupted', since: 0, resendTokens: 120_000, resendUsd: null }).detail).toContain('120 k tokens.');
  });

  test('every choice of every question is an answer that the ledger takes', () => {
    const questions: Question[] = [
      { kind: 'limit', limit: 'turns', used: 1, cap: 1 }, { kind: 'run', command: 'x', prefix: ['x'], purpose: 'setup' }, { kind: 'secret', path: filePath.parse('.env') },
      { kind: 'network', command: 'npm ci' }, { kind: 'port', port: 5432 },
      { kind: 'stuck', call: 'read_file a', times: 5 }, { kind: 'failed', words: 'no key' }, { kind: 'interrupted', since: 0, resendTokens: 1, resendUsd: null },
    ];
    for (const question of questions) for (const { choice } of questionWords(question).choices) expect(answer.safeParse({ choice, words: '' }).success).toBe(true);
  });
});
