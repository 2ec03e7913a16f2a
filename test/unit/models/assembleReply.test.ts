import { describe, expect, it } from 'vitest';
import { ReplyAssembly, type Assembled, type WireDelta } from '../../../src/adapters/models/assembleReply.ts';
import { retryAfterMs } from '../../../src/adapters/models/retryAfter.ts';
import { usageFromWire } from '../../../src/adapters/models/wireUsage.ts';

describe('calls of a stream', () => {
  it('whose id is repeated in each part are one', () => {
    expect(calls([part(0, 'a', 'read_file', ''), part(0, 'a', '', '{"path"'), part(0, 'a', 'read_file', ':"x"}')])).toEqual([['a', 'read_file', '{"path":"x"}']]);
  });

  it('that arrive interleaved by index are put together', () => {
    expect(calls([part(0, 'a', 'read_file', ''), part(1, 'b', 'search', ''), part(0, null, '', '{"path":"x"}'), part(1, null, '', '{"pattern":"y"}')])).toEqual([['a', 'read_file', '{"path":"x"}'], ['b', 'search', '{"pattern":"y"}']]);
  });

  it('at index 0 without ids are told apart where one is over or another tool begins', () => {
    expect(calls([part(0, null, 'read_file', '{"path":"x"}'), part(0, null, 'read_file', '{"path":"y"}'), part(0, null, 'search', ''), part(0, null, 'list_files', '{}')])).toEqual([['id1', 'read_file', '{"path":"x"}'], ['id2', 'read_file', '{"path":"y"}'], ['id3', 'search', ''], ['id4', 'list_files', '{}']]);
  });

  it('without index follow one another', () => {
    expect(calls([{ tool_calls: [{ id: 'a', function: { name: 'search', arguments: '{"pat' } }] }, { tool_calls: [{ function: { arguments: 'tern":"x"}' } }] }, { tool_calls: [{ id: 'b', function: { name: 'list_files', arguments: {} } }] }])).toEqual([['a', 'search', '{"pattern":"x"}'], ['b', 'list_files', '{}']]);
  });

  it('take an id that comes late, a name in pieces and odd parts', () => {
    expect(calls([part(0, null, 'read_', ''), part(0, null, 'file', ''), part(0, 'late', '', '{}'), { tool_calls: [null, {}, { index: 0, function: null }] }, { tool_calls: null }, { content: null }])).toEqual([['late', 'read_file', '{}']]);
  });

  it('with the same id twice get different ones', () => {
    expect(calls([part(0, 'x', 'read_file', '{}'), part(1, 'x', 'search', '{}')])).toEqual([['x', 'read_file', '{}'], ['id1', 'search', '{}']]);
  });
});

describe('the end of a reply', () => {
  it.each([
    ['stop', '', 'complete'], ['tool_calls', '{"a":1}', 'complete'], ['tool_calls', '', 'complete'], ['tool_calls', '{"a":', 'cut'], ['stop', '{"a', 'cut'], ['tool_calls', '{"a":1,}', 'complete'],
    ['length', '{"a":1}', 'length'], ['content_filter', '', 'filtered'], ['insufficient_system_resource', '', 'cut'], [null, '{"a":1}', 'cut'],
  ])('with finish_reason %s and arguments %j is %s', (finish, args, end) => {
    expect(assembled([part(0, 'a', 'search', args)], finish).end).toBe(end);
  });
});

describe('text', () => {
  it('and thoughts may come as parts', () => {
    expect(assembled([{ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm ' }] }, { type: 'text', text: 'yes' }] }, { reasoning: 'so' }], 'stop')).toMatchObject({ text: 'yes', reasoning: 'hm so' });
  });
});

describe('usage', () => {
  it.each([
    ['cached inside prompt', { prompt_tokens: 100, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 60 } }, { fresh: 40, cached: 60, output: 10, reasoning: 0 }],
    ['hits and misses', { prompt_tokens: 100, completion_tokens: 10, prompt_cache_hit_tokens: 60, prompt_cache_miss_tokens: 40 }, { fresh: 40, cached: 60, output: 10, reasoning: 0 }],
    ['both ways at once', { prompt_tokens: 100, completion_tokens: 10, prompt_cache_hit_tokens: 60, prompt_cache_miss_tokens: 40, prompt_tokens_details: { cached_tokens: 60 } }, { fresh: 40, cached: 60, output: 10, reasoning: 0 }],
    ['hits beside the prompt', { prompt_tokens: 40, completion_tokens: 10, prompt_cache_hit_tokens: 60 }, { fresh: 40, cached: 60, output: 10, reasoning: 0 }],
    ['all of it missed', { prompt_tokens: 100, completion_tokens: 10, prompt_cache_hit_tokens: 0, prompt_cache_miss_tokens: 100 }, { fresh: 100, cached: 0, output: 10, reasoning: 0 }],
    ['thinking inside the completion', { prompt_tokens: 10, completion_tokens: 30, total_tokens: 40, completion_tokens_details: { reasoning_tokens: 20 } }, { fresh: 10, cached: 0, output: 30, reasoning: 20 }],
    ['thinking beside the completion', { prompt_tokens: 10, completion_tokens: 30, total_tokens: 60, completion_tokens_details: { reasoning_tokens: 20 } }, { fresh: 10, cached: 0, output: 50, reasoning: 20 }],
    ['details that are null', { prompt_tokens: 10, completion_tokens: 3, prompt_tokens_details: null, completion_tokens_details: null }, { fresh: 10, cached: 0, output: 3, reasoning: 0 }],
  ])('with %s has one meaning', (_, wire, usage) => {
    expect(usageFromWire(wire, 'any')).toEqual(usage);
  });

  it.each([[null], [undefined], [{}], [{ prompt_tokens: 0, completion_tokens: 0 }], [{ prompt_tokens: 'x' }], [{ prompt_tokens: -5 }], ['usage']])('that says nothing (%j) is none', (wire) => {
    expect(usageFromWire(wire, 'any')).toBeNull();
  });
});

describe('when to come back', () => {
  it.each([
    ['Please try again in 1.3s. Visit', 1300], ['try again in 6m0s', 360_000], ['try again in 220ms.', 220], ['try again in 1h2m3s', 3_723_000], ['Please retry after 12 seconds.', 12_000], ['Please wait 2 minutes', 120_000], ['{"retryDelay":"34s"}', 34_000],
    ['Rate limit of 60 per 1m reached', null], ['try again later', null], ['', null], ['retry with max 3 messages', null],
  ])('is read from %j', (words, ms) => {
    expect(retryAfterMs(undefined, words, 0)).toBe(ms);
  });

  it('is read from headers first, and a date is measured against the server\'s clock', () => {
    expect(retryAfterMs(new Headers({ 'retry-after': '1.5' }), 'try again in 9s', 0)).toBe(1500);
    expect(retryAfterMs(new Headers({ 'retry-after': 'Thu, 01 Jan 2026 00:00:10 GMT' }), '', Date.parse('2026-01-01T00:00:00Z'))).toBe(10_000);
    expect(retryAfterMs(new Headers({ 'retry-after': 'Thu, 01 Jan 2026 00:00:10 GMT', 'date': 'Thu, 01 Jan 2026 00:00:30 GMT' }), '', 0)).toBe(0);
    expect(retryAfterMs(new Headers({ 'retry-after': 'soon' }), 'try again in 9s', 0)).toBe(9000);
  });
});

function part(index: number, id: string | null, name: string, text: string): WireDelta {
  return { tool_calls: [{ index, ...(id === null ? {} : { id }), function: { ...(name === '' ? {} : { name }), arguments: text } }] };
}

function assembled(deltas: readonly WireDelta[], finish: string | null): Assembled {
  const assembly = new ReplyAssembly(new Set(['read_file', 'search', 'list_files']));
  for (const delta of deltas) assembly.add(delta);
  if (finish !== null) assembly.finished(finish);
  let made = 0;
  return assembly.assemble(new Set(), () => `id${++made}`);
}

function calls(deltas: readonly WireDelta[]): readonly (readonly [string, string, string])[] {
  return assembled(deltas, 'tool_calls').calls.map((c) => [c.id, c.name, c.arguments] as const);
}
