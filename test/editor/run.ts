// Runs the in-editor suite and prints its result as JSON on the last line.
// node test/editor/run.ts [--oldest] [--vsix FILE] [--only TITLE]
import path from 'node:path';
import { parseArgs } from 'node:util';
import { newestRelease, oldestRelease } from '../support/editor/editorRelease.ts';
import { makeManyRepositories } from '../support/editor/manyRepositories.ts';
import { runInEditorSuite } from '../support/editor/inEditorSuite.ts';

const { values } = parseArgs({ options: { oldest: { type: 'boolean' }, vsix: { type: 'string' }, only: { type: 'string' } } });

const options = {
  release: values.oldest === true ? oldestRelease : newestRelease,
  ...(values.vsix !== undefined && { vsix: path.resolve(values.vsix) }),
  ...(values.only !== undefined && { only: values.only }),
};
const many = makeManyRepositories();
// One window on a folder, then one on a workspace: a window that changes from one to the other starts its extensions anew.
const reports = [await runInEditorSuite(options), ...(values.vsix === undefined ? [await runInEditorSuite({ ...options, workspace: many.workspace })] : [])];
many.remove();
const tests = reports.flatMap((report) => report.tests);
const crash = reports.flatMap((report) => report.crash ?? []).join('\n') || undefined;
const marks = { passed: '✓', failed: '✗', skipped: '-' };
for (const test of tests) console.log(`${marks[test.state]} ${test.title}${test.error === undefined ? '' : `\n${test.error}`}`);
if (crash !== undefined) console.log(`The suite crashed.\n${crash}`);
const count = (state: string): number => tests.filter((test) => test.state === state).length;
const failed = count('failed') + (crash === undefined ? 0 : 1);
console.log(JSON.stringify({ passed: count('passed'), failed, skipped: count('skipped') }));
process.exitCode = failed > 0 ? 1 : 0;
