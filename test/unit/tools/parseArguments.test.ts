import { describe, expect, it } from 'vitest';
import { jsonState } from '../../../src/core/tools/jsonText.ts';
import { parseArguments } from '../../../src/core/tools/parseArguments.ts';

describe('arguments of a call', () => {
  it.each([
    ['an object', '{"path":"a","from_line":3}', { path: 'a', from_line: 3 }],
    ['an object in a JSON string', '"{\\"path\\":\\"a\\"}"', { path: 'a' }],
    ['numbers in quotes', '{"path":"a","from_line":"3"}', { path: 'a', from_line: 3 }],
    ['null for what is optional', '{"path":"a","from_line":null}', { path: 'a' }],
    ['raw line ends in a string', '{"path":"a\n\tb"}', { path: 'a\n\tb' }],
    ['white space around', ' \n{"path":"a"}\n ', { path: 'a' }],
  ])('are taken as %s', (_, text, args) => {
    expect(parseArguments('read_file', text)).toEqual({ ok: true, args });
  });

  it('may be empty where nothing is required', () => {
    expect(parseArguments('list_files', '')).toEqual({ ok: true, args: {} });
    expect(parseArguments('edit_file', '{"path":"a","old_text":"1","new_text":"true","all":"true"}')).toEqual({ ok: true, args: { path: 'a', old_text: '1', new_text: 'true', all: true } });
  });

  it.each([
    ['', /- path: missing/], ['{}', /- path: missing/], ['{"path":1}', /- path: expected string, received number; you gave 1/], ['{"path":null}', /- path: .*you gave null/],
    ['{"path":"a","from_line":0}', /- from_line: .*>=1; you gave 0/], ['{"path":"a","from_line":"x"}', /- from_line: .*you gave "x"/], ['{"path":"a","file":"b"}', /- file: read_file has no such argument/],
    ['{"path":"a",}', /not a JSON object/], ['{"path":"a', /stop in the middle/], ['[]', /not a JSON object/], ['null', /not a JSON object/], ['"a"', /not a JSON object/], ['"\\"{}\\""', /not a JSON object/], ['{"path":"a"}{"path":"b"}', /not a JSON object/],
    ['{"__proto__":{"path":"a"}}', /- path: missing/],
  ])('%j are answered with what is wrong', (text, words) => {
    const parsed = parseArguments('read_file', text);
    expect(parsed.ok ? '' : parsed.words).toMatch(words);
    expect(parsed.ok ? '' : parsed.words).toMatch(/Nothing was done/);
  });
});

describe('JSON text', () => {
  const whole = '{"a":[1,-2.5e+3,true,null,{"b":"x\\u00e9\\"\\n"},[]],"c":{}}';

  it('is whole, and every beginning of it is open', () => {
    expect(jsonState(whole)).toBe('whole');
    for (let end = 0; end < whole.length; end++) expect([end, jsonState(whole.slice(0, end))]).toEqual([end, 'open']);
  });

  it.each(['{"a":1}}', '{"a" 1}', '{a:1}', '{"a":1,}', '[1,]', '{"a":tru3}', "{'a':1}", '{"a":"\\x"}', '{"a":01}', '{"a":1}x', '[1}', '{"a":"b"c"}'])('%s is broken', (text) => {
    expect(jsonState(text)).toBe('broken');
  });

  it('is judged without recursion', () => {
    expect(jsonState('['.repeat(200_000))).toBe('open');
  });
});
