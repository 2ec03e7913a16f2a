import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { slotsKey } from '../../../src/core/episode/model.ts';
import { concurrencyOf, parseProfiles, profileEntry, profileRef, serverOf } from '../../../src/core/models/modelProfile.ts';
import { providerAt, providerName, PROVIDERS } from '../../../src/core/models/providers.ts';
import { projectRoot } from '../../support/projectRoot.ts';

const parsed = (...entries: readonly unknown[]) => parseProfiles(entries);
const only = (entry: unknown) => {
  const { profiles: [profile], problems } = parsed(entry);
  if (!profile) throw new Error(problems.join('\n'));
  return profile;
};

describe('a model profile in the settings', () => {
  it('as it was written before there were providers is read as it was', () => {
    const old = { id: 'openai', baseUrl: 'https://api.openai.com/v1', model: 'gpt-5', keyEnvironment: 'OPENAI_API_KEY', prices: { fresh: 1, cached: 0.1, output: 4 }, contextWindow: 200_000, maxOutputTokens: 8000 };
    expect(only(old)).toEqual(old);
    expect(serverOf({ profile: 'openai', baseUrl: old.baseUrl }, [only(old)])).toMatchObject({ provider: 'openai', traits: { limitField: 'max_completion_tokens' }, headers: {}, extraBody: {} });
  });

  it('needs no address where its provider has one', () => {
    expect(only({ id: 'd', provider: 'deepseek', model: 'deepseek-chat' }).baseUrl).toBe('https://api.deepseek.com/v1');
    expect(parsed({ id: 'x', provider: 'other', model: 'm' }, { id: 'y', model: 'm' }).problems).toEqual([
      'Entry 1 of worldtree.models is left out: baseUrl: the address of the server is missing',
      'Entry 2 of worldtree.models is left out: baseUrl: the address of the server is missing',
    ]);
  });

  it('says otherwise than its provider where it wants to', () => {
    const profile = only({ id: 'd', provider: 'deepseek', model: 'm', concurrency: 2, idleSeconds: 30, cachedTokens: 'apart', askForUsage: false, limitField: 'none', sendThoughtsBack: false });
    expect(serverOf({ profile: 'd', baseUrl: profile.baseUrl }, [profile]).traits).toEqual({ concurrency: 2, idleSeconds: 30, cachedTokens: 'apart', askForUsage: false, limitField: 'none', sendThoughtsBack: false });
  });

  it('gives nothing of what it adds to another address than its own (rule 10)', () => {
    const profile = only({ id: 'd', provider: 'deepseek', model: 'm', headers: { 'X-Title': 'Worldtree' }, extraBody: { temperature: 0 }, limitField: 'none' });
    expect(serverOf({ profile: 'd', baseUrl: profile.baseUrl }, [profile])).toMatchObject({ headers: { 'X-Title': 'Worldtree' }, extraBody: { temperature: 0 } });
    expect(serverOf({ profile: 'd', baseUrl: 'https://elsewhere.example/v1' }, [profile])).toEqual({ provider: 'other', traits: PROVIDERS.other.traits, headers: {}, extraBody: {} });
  });

  it.each([
    ['headers', { Authorization: 'x' }, /this header signs in; keys go into the key store/],
    ['headers', { 'X-Authorisation': 'x' }, /signs in/], ['headers', { 'X-Auth-User': 'x' }, /signs in/], ['headers', { 'x-api-key': 'x' }, /signs in/], ['headers', { Cookie: 'a=b' }, /signs in/],
    ['headers', { 'X-Team': 'sk-proj-abcdefghijklmnop' }, /looks like a key; keys go into the key store/],
    ['headers', { 'X-Team': 'Bearer abcdefghijklmnop' }, /looks like a key/],
    ['headers', { 'X-Team': 'a8f9e7d6c5b4a3928170fedcba987654' }, /looks like a key/],
    ['headers', { 'Content-Type': 'text/plain' }, /Worldtree itself says this/], ['headers', { 'Proxy-Connection': 'x' }, /Worldtree itself/],
    ['headers', { 'a b': 'x' }, /no name of a header/], ['headers', { 'X-Team': 'a\r\nHost: b' }, /one line/], ['headers', { 'X-Team': 1 }, /string/],
    ['extraBody', { model: 'x' }, /Worldtree itself says this/], ['extraBody', { messages: [] }, /Worldtree itself/], ['extraBody', { tools: [] }, /Worldtree itself/],
    ['extraBody', { stream: false }, /Worldtree itself/], ['extraBody', { max_tokens: 1 }, /Worldtree itself/],
    ['extraBody', { provider: { secret: 'sk-or-v1-0123456789abcdef' } }, /looks like a key/],
  ])('may not set in %s: %j', (where, value, words) => {
    const { profiles, problems } = parsed({ id: 'x', provider: 'openrouter', model: 'm', [where]: value });
    expect(profiles).toEqual([]);
    expect(problems[0]).toMatch(words);
    expect(problems[0]).toContain(`${where}.${Object.keys(value)[0] ?? ''}`);
    expect(problems[0]).not.toMatch(/sk-|a8f9/);
  });

  it('may add what a provider knows by itself', () => {
    const more = { headers: { 'HTTP-Referer': 'https://github.com/worldtree/worldtree', 'X-Title': 'Worldtree', 'X-Author': 'Ada', 'X-Authority': 'ops', 'OpenAI-Organization': 'org-a1b2c3d4e5f6a7b8c9d0e1f2' }, extraBody: { temperature: 0.2, reasoning_effort: 'high', provider: { order: ['a', 'b'] }, thinking: { type: 'enabled' } } };
    expect(only({ id: 'x', provider: 'openrouter', model: 'm', ...more })).toMatchObject(more);
  });

  it.each([['concurrency', 0], ['concurrency', 1.5], ['idleSeconds', 0], ['idleSeconds', 600], ['provider', 'nobody'], ['limitField', 'tokens'], ['apiKey', 'sk-1']])('is left out with %s %j', (key, value) => {
    expect(parsed({ id: 'x', baseUrl: 'https://a.example/v1', model: 'm', [key]: value })).toMatchObject({ profiles: [], problems: [expect.stringContaining(key)] });
  });

  it('is described in the manifest field by field', () => {
    const manifest = JSON.parse(readFileSync(path.join(projectRoot, 'package.json'), 'utf8')) as { contributes: { configuration: { properties: { 'worldtree.models': { items: { required: string[]; properties: Record<string, { enum?: string[] }> } } } } } };
    const { properties, required } = manifest.contributes.configuration.properties['worldtree.models'].items;
    expect(Object.keys(properties).toSorted()).toEqual(Object.keys(profileEntry.shape).toSorted());
    expect(properties['provider']?.enum).toEqual(providerName.options);
    expect(required).toEqual(['id', 'model']);
  });
});

describe('requests at the same time', () => {
  const found = { kind: 'openai', profile: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1', model: 'tiny', prices: null } as const;
  const profiles = [
    only({ id: 'a', baseUrl: 'http://localhost:11434/v1', model: 'm', concurrency: 3 }), only({ id: 'b', baseUrl: 'http://127.0.0.1:11434/v1/', model: 'n', concurrency: 2 }),
    only({ id: 'c', provider: 'deepseek', model: 'm' }), only({ id: 'd', baseUrl: 'http://127.0.0.1:1234/v1', model: 'm' }),
  ];

  it('are counted for a server, whichever profiles name it and however, and for each server alone', () => {
    const [a, b, c, d] = profiles.map((profile) => slotsKey(profileRef(profile)));
    expect([a, b]).toEqual([slotsKey(found), slotsKey(found)]);
    expect(new Set([a, c, d]).size).toBe(3);
  });

  it('are the fewest that a profile of the server names, for all that speak to it', () => {
    expect([found, ...profiles.slice(0, 2).map((p) => ({ profile: p.id, baseUrl: p.baseUrl }))].map((ref) => concurrencyOf(ref, profiles))).toEqual([2, 2, 2]);
    expect(concurrencyOf({ profile: 'c', baseUrl: 'https://api.deepseek.com/v1' }, profiles)).toBe(8);
  });

  it('are those that are usual there where no profile names it', () => {
    expect(concurrencyOf(found, [])).toBe(PROVIDERS.ollama.traits.concurrency);
  });
});

describe('a server that stands in no profile', () => {
  it('is known by its address', () => {
    expect(providerName.options.filter((name) => providerAt(PROVIDERS[name].baseUrl ?? '') !== name)).toEqual([]);
    expect(providerAt('https://api.openai.com.evil.example/v1')).toBe('other');
  });

  it('is waited for longer where it is on this machine', () => {
    const seconds = (baseUrl: string): number => serverOf({ profile: 'x', baseUrl }, []).traits.idleSeconds;
    expect([seconds('http://127.0.0.1:9999/v1'), seconds('http://localhost:9999/v1'), seconds('https://a.example/v1')]).toEqual([285, 285, 120]);
  });
});
