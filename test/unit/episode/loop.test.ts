import { describe, expect, it } from 'vitest';
import { CUT_REPLY, LOST_RESULT, PASSED_OVER } from '../../../src/core/prompt/hostMessages.ts';
import { call, called, finish, finished, hostSaid, next, OPENING, reply, result, said, transcript, unanswered } from '../../support/conversations.ts';

describe('the loop', () => {
  it('begins by saying what there is to do', () => {
    expect(next()).toEqual({ do: 'say first messages' });
  });

  it('asks the model when something was said', () => {
    expect(next(...OPENING)).toEqual({ do: 'ask model' });
  });

  it('runs the calls of a reply in their order, then asks again', () => {
    const calls = [call('a', 'read_file', { path: 'x' }), call('b', 'run')];
    const asked = [...OPENING, reply('Let me look.', calls)];
    expect(next(...asked)).toEqual({ do: 'run call', call: calls[0] });
    expect(next(...asked, called('a'), result('a', 'content'))).toEqual({ do: 'run call', call: calls[1] });
    expect(next(...asked, called('a'), result('a', 'content'), called('b'), result('b', 'ok'))).toEqual({ do: 'ask model' });
  });

  it('sends back what the model said with what its calls gave, in order', () => {
    const calls = [call('a'), call('b')];
    const { messages } = transcript(...OPENING, reply('Both.', calls), called('a'), result('a', 'one'), called('b'), result('b', 'two'));
    expect(messages.slice(2)).toEqual([{ role: 'assistant', text: 'Both.', calls }, { role: 'tool', call: 'a', text: 'one' }, { role: 'tool', call: 'b', text: 'two' }]);
  });

  it('only ever adds to what was sent, so that the provider’s cache hits', () => {
    const entries = [...OPENING, reply('', [call('a')]), called('a'), result('a', 'x'), reply('Hm.'), hostSaid('Call a tool.'), reply('half', [call('b')], 'cut'), hostSaid('Again.'), reply('', [call('c'), call('d')]), called('c'), said('Stop that.'), reply('', [finish('f')]), finished('f', 1), said('Once more.')];
    for (let n = 1; n <= entries.length; n++) {
      const before = transcript(...entries.slice(0, n - 1)).messages;
      expect(transcript(...entries.slice(0, n)).messages.slice(0, before.length)).toEqual(before);
    }
  });

  it('keeps what a model thought with its message, for the provider that wants it back', () => {
    const { messages } = transcript(...OPENING, { type: 'replied', at: 0, request: 1, end: 'complete', message: { role: 'assistant', text: '', calls: [call('a')], reasoning: 'hm', reasoningFrom: 'https://models.example' } });
    expect(messages.at(-1)).toMatchObject({ reasoning: 'hm', reasoningFrom: 'https://models.example' });
  });

  it('takes a call for a new one whose id the model uses again', () => {
    expect(next(...OPENING, reply('', [call('a')]), called('a'), result('a', 'x'), reply('', [call('a')]))).toMatchObject({ do: 'run call' });
  });

  it('counts replies', () => {
    expect(transcript(...OPENING, reply('', [call('a')]), result('a', 'x'), reply('y')).replies).toBe(2);
  });
});

describe('F1: a reply that was cut', () => {
  const half = call('a', 'write_file', '{"path":"packages/api/retry.ts","content":"export con');

  it.each(['cut', 'length', 'filtered'] as const)('is never executed, whatever its calls look like (%s)', (end) => {
    const conversation = transcript(...OPENING, reply('', [half, call('whole')], end));
    expect(conversation.pending).toEqual([]);
    expect(next(...OPENING, reply('', [half, call('whole')], end))).toMatchObject({ do: 'say' });
  });

  it.each(['cut', 'length', 'filtered'] as const)('is told to the model, with what to do (%s)', (end) => {
    expect(next(...OPENING, reply('', [half], end))).toEqual({ do: 'say', text: CUT_REPLY });
    expect(CUT_REPLY).toMatch(/none of its tool calls was executed.*Send it again.*several parts/);
  });

  it('is not sent back with its half-written calls, only with what it had said', () => {
    const { messages } = transcript(...OPENING, reply('I write the file now.', [half], 'cut'), hostSaid('Again.'));
    expect(messages.slice(2)).toEqual([{ role: 'assistant', text: 'I write the file now.', calls: [] }, { role: 'user', text: 'Again.' }]);
    expect(JSON.stringify(messages)).not.toContain('export con');
  });

  it('that had said nothing leaves no empty message behind', () => {
    expect(transcript(...OPENING, reply('', [half], 'cut')).messages).toHaveLength(OPENING.length);
    expect(transcript(...OPENING, reply('')).messages).toHaveLength(OPENING.length);
  });

  it('is asked again, and the whole reply is executed', () => {
    const again = [...OPENING, reply('', [half], 'cut'), hostSaid('Again.')];
    expect(next(...again)).toEqual({ do: 'ask model' });
    expect(next(...again, reply('', [call('b')]))).toEqual({ do: 'run call', call: call('b') });
  });
});

describe('a crash in the middle', () => {
  const working = [...OPENING, reply('', [call('a'), call('b')])];

  it('of a call: it is not repeated, and the model is told that its effect is not known', () => {
    const step = next(...working, called('a'));
    expect(step).toMatchObject({ do: 'answer call', call: { id: 'a' } });
    expect(step.do === 'answer call' && step.text).toMatch(/interrupted while this call ran.*before you repeat it/);
  });

  it('of a call: the ones after it are run', () => {
    expect(next(...working, called('a'), result('a', LOST_RESULT))).toMatchObject({ do: 'run call', call: { id: 'b' } });
  });

  it('before a call: it is run', () => {
    expect(next(...working)).toMatchObject({ do: 'run call', call: { id: 'a' } });
  });

  it('after a result: it is not run again', () => {
    expect(next(...working, called('a'), result('a', 'ok'))).toMatchObject({ do: 'run call', call: { id: 'b' } });
  });

  it('between the first messages: the goal is said, and what came before it stands once', () => {
    const cut = OPENING.slice(0, 1);
    expect(next(...cut)).toEqual({ do: 'say first messages' });
    expect(transcript(...cut, ...OPENING)).toEqual(transcript(...OPENING));
  });

  it('of a request: it is sent again', () => {
    expect(next(...OPENING)).toEqual({ do: 'ask model' });
  });

  it('between a cut reply and its nudge: the nudge is said', () => {
    expect(next(...OPENING, reply('half', [call('a')], 'cut'))).toMatchObject({ do: 'say' });
  });

  it('of finish: it is done again', () => {
    expect(next(...OPENING, reply('', [finish('f')]))).toEqual({ do: 'finish', call: finish('f') });
  });
});

describe('words that come while calls are still open', () => {
  const stopped = [...OPENING, reply('', [call('a'), call('b'), finish('f')]), called('a'), said('The person says: use the other library.')];

  it('close them: the call that ran was cut off, the others were not run', () => {
    const { messages, pending } = transcript(...stopped);
    expect(pending).toEqual([]);
    expect(messages.slice(3).map((m) => [m.role, m.text])).toEqual([['tool', LOST_RESULT], ['tool', PASSED_OVER], ['tool', PASSED_OVER], ['user', 'The person says: use the other library.']]);
  });

  it('are answered by the model, not by calls from before', () => {
    expect(next(...stopped)).toEqual({ do: 'ask model' });
  });

  it('leave no room for a result that comes late', () => {
    const late = transcript(...stopped, result('a', 'late', 'packages/api/a.ts'));
    expect(late.messages).toEqual(transcript(...stopped).messages);
    // But what it wrote is in the worktree, and is named if an ignore rule hides it.
    expect([...late.written]).toEqual(['packages/api/a.ts']);
  });

  it('keep the conversation such that a provider takes it', () => {
    expect(unanswered(transcript(...stopped).messages)).toEqual([]);
    expect(unanswered(transcript(...OPENING, reply('', [call('a')]), called('a'), result('a', 'x'), result('a', 'again')).messages)).toEqual([]);
    expect(unanswered(transcript(...OPENING, reply('', [finish('f')]), finished('f', 1), finished('f', 1), said('Again.')).messages)).toEqual([]);
  });
});

describe('what the agent wrote', () => {
  it('is remembered, with what was asked for despite an ignore rule', () => {
    const { written, forced } = transcript(...OPENING, reply('', [call('a'), call('b'), call('c')]), result('a', 'ok', 'src/a.ts'), result('b', 'ok', 'src/b.log', true), result('c', 'ok'));
    expect([...written]).toEqual(['src/a.ts', 'src/b.log']);
    expect([...forced]).toEqual(['src/b.log']);
  });
});
