import { describe, expect, it } from 'vitest';
import { wireMessages } from '../../../src/adapters/models/wireMessages.ts';
import { callId } from '../../../src/core/ids.ts';
import type { Message, ToolCall } from '../../../src/core/episode/model.ts';

const options = { origin: 'https://models.example', reasoning: true, breakSpecialTokens: false };
const user = (text: string): Message => ({ role: 'user', text });
const assistant = (text: string, ...calls: ToolCall[]): Message => ({ role: 'assistant', text, calls });
const call = (id: string): ToolCall => ({ id: callId.parse(id), name: 'read_file', arguments: '{"path":"a.ts"}' });
const sent = (...messages: Message[]): { role: string; content?: unknown }[] => wireMessages(messages, options);

describe('a conversation on its way to a provider', () => {
  it('has no two messages of the user in a row, which strict chat templates refuse', () => {
    expect(sent({ role: 'system', text: 'You are' }, user('Goal'), user('A word'), user('Another'), assistant('Yes'), user('Go on'))).toEqual([
      { role: 'system', content: 'You are' }, { role: 'user', content: 'Goal\n\nA word\n\nAnother' }, { role: 'assistant', content: 'Yes' }, { role: 'user', content: 'Go on' },
    ]);
  });

  it('answers each call before anything else is said', () => {
    const roles = sent(user('Goal'), assistant('', call('one'), call('two')), { role: 'tool', call: callId.parse('one'), text: 'first' }, user('A word'));
    expect(roles.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user']);
    expect(roles[3]).toMatchObject({ tool_call_id: 'two', content: 'This call was not carried out.' });
  });

  it('gives the answer to a call that is not there as words of the user, with what they say', () => {
    expect(sent(user('Goal'), assistant('Yes'), { role: 'tool', call: callId.parse('gone'), text: 'late' }, user('A word')).at(-1)).toEqual({ role: 'user', content: '(Result of an earlier call) late\n\nA word' });
  });

  it('begins with the same bytes when something is added to it', () => {
    const [before, after] = [sent(user('Goal'), user('A word')), sent(user('Goal'), user('A word'), user('Another'))].map((wire) => JSON.stringify(wire));
    expect(after?.startsWith(before?.slice(0, before.lastIndexOf('"')) ?? '-')).toBe(true);
  });
});
