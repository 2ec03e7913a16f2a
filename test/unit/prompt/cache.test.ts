import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/core/episode/model.ts';
import { DELEGATION_LIMITS } from '../../../src/core/limits/limits.ts';
import { firstMessages, type FirstMessagesInput } from '../../../src/core/prompt/firstMessages.ts';
import { promptText, ProviderCache, tokensOf } from '../../support/providerCache.ts';
import { requestsOf } from '../../support/referenceEpisode.ts';
import { commit, firstMessagesInput } from './sampleRepositories.ts';

const PAGE = 'Small commits. Handlers never throw. Names say what a thing holds.\n'.repeat(120);
/** A repository with 24 KiB of pages on the way to packages/api, and a page in a folder below it. */
const FILES = { 'AGENTS.md': PAGE, 'CONTEXT.md': PAGE, 'packages/api/CONTEXT.md': PAGE, 'packages/api/src/CONTEXT.md': 'The sources.', 'packages/api/src/a.ts': '', 'packages/api/src/b/c.ts': '' };

const inFolder = (folder: string, over: Partial<FirstMessagesInput> & { readonly goal: string }): FirstMessagesInput => firstMessagesInput(FILES, 'shop', folder, over);
const api = (over: Partial<FirstMessagesInput> & { readonly goal: string }): FirstMessagesInput => inFolder('packages/api', over);

const reference = { turns: 64, seed: 1, messageAt: 20, idleAt: 30 };
const REFERENCE = requestsOf(api({ goal: 'Cap the retries at five.' }), reference);
const SIBLINGS = [
  api({ goal: 'Add a timeout.' }), api({ goal: 'Survey packages/api', role: 'surveyor' }), api({ goal: 'Mend the tests.', limits: { ...DELEGATION_LIMITS, depth: 0, turns: 12 } }),
  api({ goal: 'Rename the server.', world: { ...api({ goal: '' }).world, commit: commit('c') }, notes: ['/home/ada/.cache/x holds no node_modules'] }),
];

describe.each([64, 128] as const)('a provider’s cache in blocks of %i tokens', (block) => {
  it('holds at least 99 % of what an episode of 64 turns has sent before, and 98 % of all that it sends where a sibling came first', () => {
    const cache = new ProviderCache(block);
    for (const request of requestsOf(api({ goal: 'Add a timeout.' }), { turns: 2, seed: 9 })) cache.ask(request);
    const counted = REFERENCE.map((request) => cache.ask(request));
    const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
    const tokens = counted.map((c) => c.tokens);
    const cached = counted.map((c) => c.cached);
    expect(counted).toHaveLength(64);
    // The rest of all that is sent is new: what the model wrote and what its tools answered.
    expect(sum(cached) / sum(tokens)).toBeGreaterThanOrEqual(0.98);
    expect(sum(cached.slice(1)) / sum(tokens.slice(0, -1))).toBeGreaterThanOrEqual(0.99);
  });

  it('holds all that siblings share, whatever their goal, role, version, limits and notes', () => {
    const cache = new ProviderCache(block);
    for (const request of REFERENCE) cache.ask(request);
    for (const sibling of SIBLINGS) {
      const { cached } = cache.ask(firstMessages(sibling));
      expect(cached).toBeGreaterThan(tokensOf(beforeRole(sibling)) - block);
    }
  });

  it('holds 97 % of what a tree of episodes sends, in which children begin in the same chain of folders', () => {
    const cache = new ProviderCache(block);
    const tree = [api({ goal: 'Split the server.' }), ...['packages/api', 'packages/api/src', 'packages/api/src/b'].map((folder) => inFolder(folder, { goal: `Do your part in ${folder}.` }))];
    for (const [seed, input] of tree.entries()) for (const request of requestsOf(input, { turns: 60, seed })) cache.ask(request);
    expect(cache.share).toBeGreaterThanOrEqual(0.97);
  });

  it('holds the beginning after a summary took the place of what followed', () => {
    const cache = new ProviderCache(block);
    const requests = requestsOf(api({ goal: 'Cap the retries at five.' }), { ...reference, compactAt: 14_000 });
    const counted = requests.map((request) => ({ ...cache.ask(request), messages: request.length }));
    const windows = counted.filter(({ messages }, i) => messages < (counted[i - 1]?.messages ?? 0));
    expect(windows.length).toBeGreaterThanOrEqual(2);
    const beginning = tokensOf(promptText(REFERENCE[0] ?? []));
    for (const { cached } of windows) expect(cached).toBeGreaterThan(beginning - block);
    expect(cache.share).toBeGreaterThan(0.95);
  });

  it('holds next to nothing of a prompt that begins with the time: this test would notice', () => {
    const cache = new ProviderCache(block);
    for (const [i, request] of REFERENCE.entries()) cache.ask([{ role: 'system', text: `It is ${String(i)} o’clock.` }, ...request.slice(1)]);
    expect(cache.share).toBeLessThan(0.5);
  });
});

describe('the bytes of a prompt', () => {
  it('are those of the turn before with more after them, through nudges, warnings and messages of the person', () => {
    const requests = requestsOf(api({ goal: 'Cap the retries at five.' }), reference);
    expect(said(requests.at(-1)).filter((text) => /^The person says|called no tool|turns are used/.test(text))).toHaveLength(3);
    for (const [i, request] of requests.entries()) expect(promptText(request).startsWith(promptText(requests[i - 1] ?? []))).toBe(true);
  });

  it('are the same up to the role for siblings, roles, versions and depths', () => {
    for (const sibling of SIBLINGS) expect(beforeRole(sibling)).toBe(beforeRole(api({ goal: 'x' })));
  });

  it('are the same up to the pages of their own for folders of one chain', () => {
    const chain = ['', 'packages', 'packages/api', 'packages/api/src', 'packages/api/src/b'].map((folder) => beforeRole(inFolder(folder, { goal: 'x' })));
    expect(new Set(chain.map((text) => text.length)).size).toBe(3);
    for (const [i, text] of chain.entries()) expect(text.startsWith(chain[i - 1] ?? '')).toBe(true);
  });
});

function beforeRole(input: FirstMessagesInput): string {
  const text = promptText(firstMessages(input));
  return text.slice(0, text.indexOf('\\n\\nYour role: '));
}

function said(messages: readonly Message[] | undefined): string[] {
  return (messages ?? []).filter((m) => m.role === 'user').map((m) => m.text);
}
