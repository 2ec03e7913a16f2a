import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { endProcessTree } from '../test/support/editor/processTree.ts';

const tailLength = 60;

/**
 * Runs sections one after the other and returns what they counted together.
 * A section is { name, minutes, commands, count }; `count` makes { passed, failed, skipped } of the last command's output.
 */
export async function runSections(sections) {
  mkdirSync('out/logs', { recursive: true });
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const section of sections) {
    const started = performance.now();
    process.stdout.write(`${section.name.padEnd(12)} `);
    const result = await runSection(section);
    for (const key of Object.keys(total)) total[key] += result[key];
    console.log(`${result.failed > 0 ? '✗' : '✓'} ${summaryLine(result)} (${Math.round((performance.now() - started) / 1000)} s)`);
    if (result.failed > 0) console.log(`${result.reason}, the end of ${result.log}:\n${indent(result.tail)}`);
  }
  return total;
}

export function summaryLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/** A command that either succeeds or not counts as one. */
export const countExit = ({ code }) => ({ passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 });

/** The last line of the output is JSON. */
export const countLastLine = ({ output }) => JSON.parse(output.trimEnd().split('\n').at(-1));

/** Vitest's JSON report. */
export const countVitest = (file) => () => {
  const report = JSON.parse(readFileSync(file, 'utf8'));
  // A file that could not be loaded has no tests that could fail.
  const unloaded = report.testResults.filter(({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed')).length;
  return { passed: report.numPassedTests, failed: report.numFailedTests + unloaded, skipped: report.numPendingTests + report.numTodoTests };
};

async function runSection({ name, minutes, commands, count, report }) {
  const log = `out/logs/${name}.log`;
  if (report !== undefined) rmSync(report, { force: true });
  const file = createWriteStream(log);
  let end;
  for (const command of commands) {
    end = await runCommand(command, minutes, file);
    if (end.code !== 0 || end.timedOut) break;
  }
  await new Promise((resolve) => file.end(resolve));
  const tail = readFileSync(log, 'utf8').trimEnd().split('\n').slice(-tailLength).join('\n');
  const failedBecause = (reason, counted = { passed: 0, failed: 0, skipped: 0 }) => ({ ...counted, failed: Math.max(counted.failed, 1), reason, log, tail });
  if (end.timedOut) return failedBecause(`Not done after ${minutes} minutes`);
  let counted;
  try {
    counted = count(end);
  } catch {
    return failedBecause(`Ended with ${end.code} and without results`);
  }
  if (counted.failed > 0) return failedBecause('Failed', counted);
  if (end.code !== 0) return failedBecause(`Ended with ${end.code}`, counted);
  return { ...counted, log, tail };
}

async function runCommand([program, ...args], minutes, file) {
  file.write(`$ ${[program, ...args].join(' ')}\n`);
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], shell: process.platform === 'win32', env: { ...process.env, FORCE_COLOR: '0', NO_COLOR: '1' } });
  let output = '';
  let timedOut = false;
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      file.write(chunk);
      if (stream === child.stdout) output += chunk;
    });
  }
  const timer = setTimeout(() => {
    timedOut = true;
    void endProcessTree(child);
  }, minutes * 60_000);
  const stopped = () => void endProcessTree(child).then(() => process.exit(130));
  process.once('SIGINT', stopped).once('SIGTERM', stopped);
  // Not 'close': a process that was left behind may hold the pipe for ever.
  const code = await new Promise((resolve) => child.once('error', () => resolve(127)).once('exit', (status) => resolve(status ?? 1)));
  clearTimeout(timer);
  process.off('SIGINT', stopped).off('SIGTERM', stopped);
  return { code, output, timedOut };
}

function indent(text) {
  return text.split('\n').map((line) => `    ${line}`).join('\n');
}
