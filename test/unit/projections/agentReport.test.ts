import { expect, test } from 'vitest';
import { agentReport } from '../../../src/core/projections/agentReport.ts';
import { AT_WORK, cancelling, delegation, E1, evidence, messaged, reworked, tree, WAITING } from '../../support/facts.ts';
import { given } from '../../support/given.ts';

test('the page about an agent says goal, state, limits, and what it says just now', () => {
  const page = agentReport(given(...AT_WORK).episode, { words: 'turn 2: thinking', text: 'I look at retry.ts first.' });
  expect(page).toContain('# e1 packages/api');
  expect(page).toContain('- State: turn 2: thinking');
  expect(page).toContain('up to $2.00 · 60 min · 128 turns');
  expect(page).toContain('## Goal\n\nCap the retries.');
  expect(page).toContain('I look at retry.ts first.');
});

test('it shows what the person said to the agent, at work and at the last rework', () => {
  expect(agentReport(given(...AT_WORK, messaged(1, 'Cap it at five.\n')).episode, undefined)).toContain('## Your message\n\nCap it at five.\n');
  const page = agentReport(given(...AT_WORK, messaged(1, 'One.'), messaged(2, 'Two.'), ...WAITING.slice(-1), reworked(1, 'Again.')).episode, undefined);
  expect(page).toContain('## Your words at the last rework\n\nAgain.\n\n## Your messages\n\nOne.\n\nTwo.');
});

test('it says that the agent is finishing up', () => {
  expect(agentReport(given(...AT_WORK, cancelling).episode, { words: 'turn 2: thinking', text: '' })).toContain('- State: finishing up · turn 2: thinking');
});

test('it says what the repository’s genesis.toml wanted in vain (B14)', () => {
  const words = 'genesis.toml line 3: worktree, api_key has no effect: it is a setting of the machine, which a repository cannot make.';
  expect(agentReport(given().when(delegation({ configWarnings: [words] })).isAccepted().episode, undefined)).toContain(`## Without effect\n\n- ${words}`);
  expect(agentReport(given(...AT_WORK).episode, undefined)).not.toContain('Without effect');
});

test('it shows the report, the files and the output of each check, which cannot end its fence', () => {
  const page = agentReport(given(...WAITING, { type: 'check.ran', episode: E1, number: 1, evidence: { ...evidence, tree: tree(1), result: 'failed', exitCode: 1, output: '```\nnot ok\n```' } }).episode, undefined);
  expect(page).toContain('## Proposed change: Cap retries\n\nRetries end after five.');
  expect(page).toContain('- packages/api/retry.ts · +3 −1');
  expect(page).toContain('## test: failed with exit code 1\n\n`npm test`, 1 s\n\n````text\n```\nnot ok\n```\n````');
});

test('it shows no key that somebody wrote into the goal or an agent said', () => {
  const page = agentReport(given(...AT_WORK, messaged(1, 'The password is in DB_PASSWORD=correcthorse')).episode, { words: 'turn 2: thinking', text: 'I use sk-proj-abcdefghijklmnop1234.' });
  expect(page).toContain('DB_PASSWORD=⟨secret⟩');
  expect(page).toContain('I use ⟨secret⟩.');
});
