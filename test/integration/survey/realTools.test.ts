import { writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import type { Message } from '../../../src/core/episode/model.ts';
import { commitId, folderPath } from '../../../src/core/ids.ts';
import { DELEGATION_LIMITS } from '../../../src/core/limits/limits.ts';
import { firstMessages } from '../../../src/core/prompt/firstMessages.ts';
import { surveyGoal } from '../../../src/core/roles.ts';
import { surveyReply } from '../../../src/core/survey/survey.ts';
import type { FileTool } from '../../../src/runtime/ports/tools.ts';
import { playOnFiles } from '../../support/literalTools.ts';
import type { FileTree } from '../../support/temporaryRepository.ts';
import { ToolBench } from '../tools/toolBench.ts';

let bench: ToolBench | null = null;
afterEach(async () => {
  await bench?.close();
  bench = null;
});

describe('a survey in a real worktree, through the real tools', () => {
  it('writes its pages there, and nothing else', async () => {
    const played = await survey({
      'package.json': '{"name":"tool","main":"index.js","scripts":{"test":"node --test"}}',
      'README.md': '\ufeff# Tool\r\n\r\nTool counts what people put into folders.\r\n',
      'index.js': '/** Counts. */\nexports.count = function () {};\n',
      'lib/a.js': 'exports.a = 1;\n'.repeat(300), 'lib/b.js': 'exports.b = 1;\n', 'lib/c d.js': 'exports.c = 1;\n',
      'lib/ünï/日本.js': 'exports.d = 1;\n',
      'link.md': { symlink: 'README.md' },
      'picture.png': new Uint8Array([1, 0, 2]),
      '.gitignore': 'build/\n',
    });
    expect(played.bench.changed()).toEqual(['?? CONTEXT.md', '?? lib/CONTEXT.md']);
    const page = played.bench.read('CONTEXT.md');
    expect(page).toContain('Tool counts what people put into folders.');
    expect(page).toContain('- `count` function: Counts');
    expect(page).toContain('- Test: `npm test` (`node --test`).');
    expect(played.bench.read('lib/CONTEXT.md')).toContain('- `c d.js`: `c`');
    expect(played.report).toContain('- lib/CONTEXT.md');
  });

  it('leaves a page alone that git ignores, and says which page an ignore rule keeps out', async () => {
    const files = { 'index.js': 'exports.a = function () {};', 'lib/one.js': 'exports.one = 1;', 'lib/two.js': 'exports.two = 2;', 'lib/three.js': 'exports.three = 3;', '.gitignore': 'CONTEXT.md\n' };
    const played = await survey(files, (b) => writeFileSync(b.at('CONTEXT.md'), 'written by a person\n'));
    expect(played.bench.changed()).toEqual([]);
    expect(played.bench.read('CONTEXT.md')).toBe('written by a person\n');
    expect(played.report).toContain('kept out of the change by an ignore rule: lib/CONTEXT.md');
  });

  it('sees the same through the real tools as through the ones that other tests play with', async () => {
    const files: Record<string, string> = { 'package.json': '{"name":"many","description":"Many files"}', 'src/index.ts': "export * from './part-1.ts';\n" };
    for (let i = 0; i < 900; i++) files[`src/folder-${i % 30}/a-file-with-a-long-name-${i}.ts`] = `/** Number ${i}. */\nexport function f${i}() {}\n`;
    for (let i = 0; i < 40; i++) files[`src/part-${i}.ts`] = `export const part${i} = ${i};\n`.repeat(i === 1 ? 900 : 1);
    const real = await survey(files);
    const literal = playOnFiles(surveyReply, opening(), new Map(Object.entries(files)));
    const page = (path: string) => (real.bench.has(path) ? real.bench.read(path) : null);
    expect(Object.fromEntries([...literal.written.keys()].map((path) => [path, page(path)]))).toEqual(Object.fromEntries(literal.written));
    expect(literal.written.size).toBeGreaterThan(3);
    expect(real.turns).toBe(literal.turns);
  });
});

async function survey(files: FileTree, prepare?: (bench: ToolBench) => void): Promise<{ bench: ToolBench; report: string; turns: number }> {
  bench = new ToolBench(files);
  prepare?.(bench);
  const messages: Message[] = opening();
  for (let turns = 1; turns <= 60; turns++) {
    const reply = surveyReply(messages);
    messages.push(reply);
    for (const call of reply.calls) {
      const args = JSON.parse(call.arguments) as Record<string, unknown>;
      if (call.name === 'finish') return { bench, report: String(args['report']), turns };
      messages.push({ role: 'tool', call: call.id, text: (await bench.call(call.name as FileTool, args)).text });
    }
  }
  throw new Error('the survey did not finish');
}

function opening(): Message[] {
  return firstMessages({ facts: { name: 'repository', topLevelFolders: [], languages: [], commands: [] }, chain: [], role: 'surveyor', world: { commit: commitId.parse('a'.repeat(40)), path: folderPath.parse('') }, limits: DELEGATION_LIMITS, goal: surveyGoal(folderPath.parse('')), notes: [] });
}
