import { describe, expect, it } from 'vitest';
import type { Message, ToolDefinition } from '../../../src/core/episode/model.ts';
import { callId } from '../../../src/core/ids.ts';
import { estimatedTokens, promptTokens, requestEstimate } from '../../../src/core/limits/estimate.ts';

const text = (characters: number): Message => ({ role: 'user', text: 'x'.repeat(characters) });
const TOOL: ToolDefinition = { name: 'run', description: 'Runs a command.', parameters: { type: 'object', properties: { command: { type: 'string' } } } };

describe('the estimate of a request', () => {
  it('takes the whole prompt at the fresh price and the whole output limit: no request can use more than is reserved for it', () => {
    const estimate = requestEstimate([text(40_000)], [], 8_000);
    expect(estimate).toMatchObject({ cached: 0, output: 8_000, reasoning: 0 });
    expect(estimate.fresh).toBeGreaterThanOrEqual(10_000);
    expect(estimate.fresh).toBeLessThan(10_010);
  });

  it('counts a started token as one', () => {
    expect([0, 1, 4, 5].map((n) => estimatedTokens('x'.repeat(n)))).toEqual([0, 1, 1, 2]);
  });

  it('counts tools, calls with their arguments, results and what the model thought', () => {
    const bare: Message = { role: 'assistant', text: '', calls: [] };
    const base = promptTokens([bare], []);
    const more: Record<string, readonly [readonly Message[], readonly ToolDefinition[]]> = {
      tools: [[bare], [TOOL]],
      calls: [[{ ...bare, calls: [{ id: callId.parse('c1'), name: 'write_file', arguments: 'y'.repeat(400) }] }], []],
      thought: [[{ ...bare, reasoning: 'z'.repeat(400) }], []],
      results: [[bare, { role: 'tool', call: callId.parse('c1'), text: 'r'.repeat(400) }], []],
    };
    for (const [what, [messages, tools]] of Object.entries(more)) expect(promptTokens(messages, tools), what).toBeGreaterThan(base + (what === 'tools' ? 10 : 99));
  });

  it('grows with every message, so that a longer history never looks cheaper', () => {
    const history: Message[] = [];
    let before = promptTokens(history, [TOOL]);
    for (let i = 0; i < 20; i++) {
      history.push(text(7));
      const now = promptTokens(history, [TOOL]);
      expect(now).toBeGreaterThan(before);
      before = now;
    }
  });
});
