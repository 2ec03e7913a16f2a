import { describe, expect, test } from 'vitest';
import { languageModelFailure } from '../../../src/editor/models/languageModelFailure.ts';

const failure = (words: string, code = '', cause?: Error) => languageModelFailure(Object.assign(new Error(words, cause ? { cause } : {}), { code }), 'gpt-5').failure;

describe('an error of the models that VS Code offers', () => {
  test.for([
    ['You have exhausted your premium model quota', '', { kind: 'fatal', why: 'refused' }],
    ['Sorry, you have been rate limited', 'Blocked', { kind: 'retry', why: 'rate-limit', retryAfterMs: null }],
    ['gpt-x does not support tools', '', { kind: 'fatal', why: 'no-tools' }],
    ['Too many requests', '', { kind: 'retry', why: 'rate-limit', retryAfterMs: null }],
    ['not allowed', 'NoPermissions', { kind: 'fatal', why: 'key' }],
    ['gone', 'NotFound', { kind: 'fatal', why: 'model' }],
    ['Response was filtered', 'Blocked', { kind: 'fatal', why: 'refused' }],
    ['Message exceeds token limit', '', { kind: 'fatal', why: 'context-length' }],
    ['net::ERR fetch failed', '', { kind: 'retry', why: 'network', retryAfterMs: null }],
    ['The server is overloaded', '', { kind: 'retry', why: 'overloaded', retryAfterMs: null }],
    ['something else', '', { kind: 'retry', why: 'server', retryAfterMs: null }],
  ] as const)('“%s” (%s) is told for what it is', ([words, code, expected]) => expect(failure(words, code)).toEqual(expected));

  test.for([['ChatQuotaExceeded', { kind: 'fatal', why: 'refused' }], ['ChatRateLimited', { kind: 'retry', why: 'rate-limit', retryAfterMs: null }]] as const)('named %s is one, whatever its words, also as a cause', ([name, expected]) => {
    const named = Object.assign(new Error('Upgrade your plan'), { name });
    expect(languageModelFailure(named, 'gpt-5').failure).toEqual(expected);
    expect(languageModelFailure(new Error('Request failed', { cause: named }), 'gpt-5').failure).toEqual(expected);
  });

  test('the provider’s own words inside VS Code’s error decide and are shown', () => {
    const error = languageModelFailure(new Error('Request failed', { cause: new Error('quota exceeded until tomorrow') }), 'gpt-5');
    expect(error.failure).toEqual({ kind: 'fatal', why: 'refused' });
    expect(error.message).toBe('gpt-5: Request failed (quota exceeded until tomorrow)');
    expect(error.next).toMatch(/\w/);
  });
});
