import { folderPath, type FolderPath } from '../../src/core/ids.ts';
import { displayFolder } from '../../src/core/paths.ts';
import { LOST_RESULT, PASSED_OVER } from '../../src/core/prompt/hostMessages.ts';
import { call, type ScriptedAnswer, type ScriptedCall, type SeenRequest } from '../support/scriptedModel.ts';
import type { Seeded } from '../support/seeded.ts';

/** What the person says about a task's change, one after the other. A named conflict ends it with a reject. */
export type Verdict = 'accept' | 'undo' | 'reject' | 'withdraw' | 'rework' | 'stop';

export interface Task {
  readonly number: number;
  readonly folder: FolderPath;
  readonly kind: 'adds' | 'edits' | 'removes' | 'renames' | 'surveys' | 'contends';
  readonly verdicts: readonly Verdict[];
}

/** Tasks of a soak: each in a folder of its own, but for those that want the same files as others. */
export function makeTasks(count: number, chances: Seeded): readonly Task[] {
  return Array.from({ length: count }, (_, i) => {
    const number = i + 1;
    const kind = chances.oneOf(['adds', 'adds', 'edits', 'edits', 'removes', 'renames', 'surveys', 'contends'] as const);
    const folder = folderPath.parse(kind === 'contends' ? SHARED : `tasks/${number}`);
    return { number, kind, folder, verdicts: chances.oneOf(VERDICTS[kind]) };
  });
}

const SHARED = 'shared';
/** So many files are wanted by all tasks that contend. */
const SHARED_FILES = 3;

const ACCEPTED: readonly (readonly Verdict[])[] = [['accept'], ['accept'], ['accept'], ['accept'], ['accept']];
const TURNED: readonly (readonly Verdict[])[] = [['accept', 'undo', 'reject'], ['accept', 'undo', 'accept'], ['reject'], ['reject', 'withdraw', 'accept']];
const VERDICTS: Record<Task['kind'], readonly (readonly Verdict[])[]> = {
  adds: [...ACCEPTED, ...TURNED, ['rework', 'accept'], ['rework', 'accept', 'undo', 'reject'], ['stop', 'reject']],
  edits: [...ACCEPTED, ...TURNED, ['rework', 'accept'], ['stop', 'reject']],
  removes: [...ACCEPTED, ...TURNED],
  renames: [...ACCEPTED, ...TURNED],
  surveys: [...ACCEPTED, ...TURNED],
  // Never undone: what is then left of such a file depends on who else was accepted.
  contends: [['accept'], ['accept'], ['reject']],
};

/** What the repository holds before the first task. */
export function filesFor(tasks: readonly Task[]): Readonly<Record<string, string>> {
  const own = tasks.flatMap(({ number }) => [[`tasks/${number}/note.txt`, note(number, 'open')], [`tasks/${number}/data.txt`, data(number)]]);
  // A survey says nothing about a folder that holds nothing to speak of.
  const units = tasks.filter(({ kind }) => kind === 'surveys').flatMap(({ number }) => [[`tasks/${number}/package.json`, `{ "name": "task-${number}", "description": "Does task ${number}.", "scripts": { "test": "node --test" } }\n`], [`tasks/${number}/index.ts`, `/** Does task ${number}. */\nexport function task${number}(times: number): number {\n  return times + ${number};\n}\n`]]);
  const shared = Array.from({ length: SHARED_FILES }, (_, i) => [`${SHARED}/${i}.txt`, 'Nobody wrote here.\n']);
  return Object.fromEntries([...own, ...units, ...shared]) as Record<string, string>;
}

/** The goal that the ledger shows: by it a task's agent is known again after a kill. */
export function goalOf(task: Task): string {
  return task.kind === 'surveys' ? `Survey ${displayFolder(task.folder)}` : `Do task ${task.number}.`;
}

/** Stands for whatever a survey writes. */
export const ANY_TEXT = '(any text)';

/** Files and their texts once the task's change is accepted, null where it removes one. */
export function effectOf(task: Task): Readonly<Record<string, string | null>> {
  const { number } = task;
  const at = (name: string): string => `${task.folder}/${name}`;
  const reworked = task.verdicts.includes('rework') ? { [at('reworked.txt')]: `Task ${number} was sent back.\n` } : {};
  switch (task.kind) {
    case 'adds': return { [at('added.txt')]: `Task ${number} was here.\n`, ...reworked };
    case 'edits': return { [at('note.txt')]: note(number, 'done'), ...reworked };
    case 'removes': return { [at('data.txt')]: null };
    case 'renames': return { [at('data.txt')]: null, [at('moved.txt')]: data(number) };
    case 'surveys': return { [at('CONTEXT.md')]: ANY_TEXT };
    case 'contends': return { [sharedFile(number)]: `Task ${number} wrote here.\n` };
  }
}

/** The model behind all agents. It remembers nothing: what it says next stands in the request alone. */
export function agentOf(tasks: readonly Task[]): (request: SeenRequest) => ScriptedAnswer {
  const byGoal = new Map(tasks.map((task) => [goalOf(task), task]));
  return ({ body }) => {
    const first = body.messages.find((message) => /Do task \d+\./.test(message.content ?? ''));
    const task = byGoal.get(/Do task \d+\./.exec(first?.content ?? '')?.[0] ?? '');
    if (task === undefined) return { refuse: { status: 400, body: { error: { message: 'no task is named here' } } } };
    const calls = body.messages.flatMap((message) => message.tool_calls ?? []);
    const sentBack = body.messages.some((message) => message.role === 'user' && (message.content ?? '').includes('is sent back to you'));
    const last = body.messages.at(-1);
    const lost = last?.role === 'tool' && (last.content === LOST_RESULT || last.content === PASSED_OVER);
    if (last?.role === 'tool' && !lost && calls.at(-1)?.function.name !== 'finish') return { calls: [call('finish', { subject: `Task ${task.number}`, report: `Did what task ${task.number} asks for.` })] };
    return { calls: [sentBack ? writes(`${task.folder}/reworked.txt`, `Task ${task.number} was sent back.\n`) : work(task, lost)] };
  };
}

/** Twice is as good as once, since a call whose result a kill took away is made again. */
function work(task: Task, again: boolean): ScriptedCall {
  const { number, folder } = task;
  switch (task.kind) {
    case 'adds': return writes(`${folder}/added.txt`, `Task ${number} was here.\n`);
    case 'edits': return again ? writes(`${folder}/note.txt`, note(number, 'done')) : call('edit_file', { path: `${folder}/note.txt`, old_text: `Task ${number} is open.`, new_text: `Task ${number} is done.` });
    case 'removes': return call('run', { command: 'rm -f data.txt' });
    case 'renames': return call('run', { command: '[ -e moved.txt ] || mv data.txt moved.txt' });
    case 'contends': return writes(sharedFile(number), `Task ${number} wrote here.\n`);
    case 'surveys': throw new Error('a survey asks no model');
  }
}

function writes(path: string, content: string): ScriptedCall {
  return call('write_file', { path, content });
}

function sharedFile(number: number): string {
  return `${SHARED}/${number % SHARED_FILES}.txt`;
}

function note(number: number, state: 'open' | 'done'): string {
  return `# Task ${number}\n\nTask ${number} is ${state}.\n`;
}

function data(number: number): string {
  return `Data of task ${number}.\n`;
}
