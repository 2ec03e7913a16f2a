import { describe, expect, it } from 'vitest';
import type { ModelRef } from '../../../src/core/episode/model.ts';
import { callsNoTools } from '../../../src/core/models/languageModelTools.ts';
import { parseToolless, toollessReason, withTools } from '../../../src/core/models/toollessList.ts';

const model = (name: string, baseUrl = 'http://127.0.0.1:11434/v1'): ModelRef => ({ kind: 'openai', profile: 'Ollama', baseUrl, model: name, prices: null });

describe('a model that was found not to call tools', () => {
  const known = withTools({}, model('tiny'), 'tiny does not support tools');

  it('is remembered with the reason, and no other of its server nor its name elsewhere', () => {
    expect(toollessReason(known, model('tiny'))).toBe('tiny does not support tools');
    expect([toollessReason(known, model('large')), toollessReason(known, model('tiny', 'http://127.0.0.1:1234/v1'))]).toEqual([null, null]);
  });

  it('is forgotten when a test shows that it does', () => {
    expect(withTools(known, model('tiny'), null)).toEqual({});
  });

  it('is read again from what was remembered, whatever that is', () => {
    expect(parseToolless(JSON.parse(JSON.stringify(known)))).toEqual(known);
    for (const odd of [undefined, null, 'x', { a: 1 }]) expect(parseToolless(odd)).toEqual({});
  });
});

describe('a model of VS Code', () => {
  it('calls no tools only where VS Code says so', () => {
    expect([{ capabilities: { supportsToolCalling: false } }, { capabilities: { supportsToolCalling: true } }, { capabilities: {} }, {}, null].map(callsNoTools)).toEqual([true, false, false, false, false]);
  });
});
