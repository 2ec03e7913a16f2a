// Runs the in-editor suite and prints its result as JSON on the last line.
// node test/editor/run.ts [--oldest] [--vsix FILE] [--only TITLE]
import path from 'node:path';
import { parseArgs } from 'node:util';
import { newestRelease, oldestRelease } from '../support/editor/editorRelease.ts';
import { runInEditorSuite } from '../support/editor/inEditorSuite.ts';

const { values } = parseArgs({ options: { oldest: { type: 'boolean' }, vsix: { type: 'string' }, only: { type: 'string' } } });

const { tests, crash } = await runInEditorSuite({
  release: values.oldest === true ? oldestRelease : newestRelease,
  ...(values.vsix !== undefined && { vsix: path.resolve(values.vsix) }),
  ...(values.only !== undefined && { only: values.only }),
});
const marks = { passed: '✓', failed: '✗', skipped: '-' };
for (const test of tests) console.log(`${marks[test.state]} ${test.title}${test.error === undefined ? '' : `\n${test.error}`}`);
if (crash !== undefined) console.log(`The suite crashed.\n${crash}`);
const count = (state: string): number => tests.filter((test) => test.state === state).length;
const failed = count('failed') + (crash === undefined ? 0 : 1);
console.log(JSON.stringify({ passed: count('passed'), failed, skipped: count('skipped') }));
process.exitCode = failed > 0 ? 1 : 0;
