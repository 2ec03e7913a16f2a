import { renameSync, writeFileSync } from 'node:fs';
import type { Runnable } from 'mocha';
import * as vscode from 'vscode';
import type { EditorReport, TestResult } from '../support/editor/editorReport.ts';
import { activationSuite } from './suites/activation.ts';
import { commandsSuite } from './suites/commands.ts';
import { firstCommitSuite } from './suites/firstCommit.ts';
import { manyRepositoriesSuite } from './suites/manyRepositories.ts';
import { reviewSuite } from './suites/review.ts';
import { transcriptSuite } from './suites/transcript.ts';

const suites = vscode.workspace.workspaceFile === undefined ? [activationSuite, commandsSuite, reviewSuite, transcriptSuite, firstCommitSuite] : [manyRepositoriesSuite];

/** VS Code calls this inside the extension host. */
export async function run(): Promise<void> {
  const reportFile = process.env['WORLDTREE_TEST_REPORT'];
  if (reportFile === undefined) throw new Error('WORLDTREE_TEST_REPORT names no file: start this suite with npm test.');
  let report: EditorReport;
  try {
    report = { tests: await runMocha() };
  } catch (error) {
    report = { tests: [], crash: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  // Renamed into place, because the other side reads it as soon as it appears.
  writeFileSync(`${reportFile}.unfinished`, JSON.stringify(report, undefined, 2));
  renameSync(`${reportFile}.unfinished`, reportFile);
}

async function runMocha(): Promise<readonly TestResult[]> {
  // A `require` of this ES module gives the class itself in some versions of Node and a namespace in others.
  const { default: Mocha } = await import('mocha');
  const mocha = new Mocha({ ui: 'bdd', timeout: 60_000, reporter: Mocha.reporters.Base });
  const only = process.env['WORLDTREE_TEST_ONLY'];
  if (only !== undefined) mocha.grep(only);
  // What mocha does itself before it loads a file; these suites are bundled, so there is no file to load.
  mocha.suite.emit('pre-require', globalThis, 'suites', mocha);
  for (const suite of suites) suite();
  const tests: TestResult[] = [];
  await new Promise<void>((resolve) => {
    const runner = mocha.run(() => resolve());
    const note = (state: TestResult['state']) => (test: Runnable, error?: Error): void =>
      void tests.push({ title: test.fullTitle(), state, milliseconds: test.duration ?? 0, ...(error && { error: error.stack ?? error.message }) });
    runner.on('pass', note('passed'));
    runner.on('fail', note('failed'));
    runner.on('pending', note('skipped'));
  });
  return tests;
}
