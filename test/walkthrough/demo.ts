import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import path from 'node:path';
import { launchChromium } from '../support/editor/chromium.ts';
import { startEditor } from '../support/editor/vscodeServer.ts';
import { Workbench } from '../support/editor/workbench.ts';
import { quietGitEnvironment } from '../support/gitEnvironment.ts';
import { projectRoot } from '../support/projectRoot.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporaryFolder.ts';

/**
 * The whole path in a real VS Code on a temporary clone: survey a folder, wait, open the diff, accept, undo, accept
 * again. Ends with 0 only if the accepted commit is really on the branch and every other file is as it was.
 *
 *   npm run demo [-- /path/to/repository [folder]]
 */
const [given, folder = ''] = process.argv.slice(2);
// npm runs scripts in the project's folder; a path is meant from where the person stands.
const source = given === undefined ? projectRoot : path.resolve(process.env['INIT_CWD'] ?? '.', given);
const began = performance.now();
if (!existsSync(source)) {
  console.error(`There is no repository ${source}.`);
  process.exit(2);
}
const parent = makeTemporaryFolder('demo');
const clone = path.join(parent, path.basename(path.resolve(source)).replace(/\.git$/, ''));

const git = (...args: string[]): string => execFileSync('git', args, { cwd: clone, env: quietGitEnvironment(), encoding: 'utf8', maxBuffer: 256 * 1024 * 1024, stdio: ['ignore', 'pipe', 'pipe'] }).replace(/\n$/, '');
const say = (step: string, words: string): void => console.log(`${String(Math.round((performance.now() - began) / 1000)).padStart(4)} s  ${step.padEnd(14)} ${words}`);

execFileSync('git', ['clone', '--quiet', '--no-hardlinks', '--', path.resolve(source), clone], { env: quietGitEnvironment(), stdio: ['ignore', 'ignore', 'inherit'] });
git('config', 'user.name', 'Demo Person');
git('config', 'user.email', 'demo@example.test');
const branch = git('branch', '--show-current');
if (branch === '') git('checkout', '--quiet', '-b', 'demo');
if (folder !== '' && !(statSync(path.join(clone, folder), { throwIfNoEntry: false })?.isDirectory() ?? false)) {
  console.error(`There is no folder ${folder} in ${source}.`);
  removeFolder(parent);
  process.exit(2);
}
const before = git('rev-parse', 'HEAD');
const held = contents(clone);
const count = git('ls-files').split('\n').length;
say('clone', `${count} files at ${before.slice(0, 7)} in ${clone}`);

rmSync(path.join(projectRoot, 'out', 'screenshots', 'demo'), { recursive: true, force: true });
const editor = await startEditor({ extensions: [projectRoot] });
const browser = await launchChromium();
const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
const workbench = new Workbench(page, editor, 'demo');
page.setDefaultTimeout(60_000);
try {
  await workbench.open(clone);
  const shot = async (name: string): Promise<string> => path.relative(projectRoot, await workbench.screenshot(name));
  say('editor', `VS Code ${editor.release.vscode} is open, ${await shot('open')}`);

  if (folder === '') {
    await workbench.runCommand('Worldtree: Survey This Folder');
    await workbench.pick(/^\/$/);
  } else await workbench.rightClickInExplorer(folder.split('/'), 'Survey This Folder');
  await workbench.openView('Worldtree');
  const review = workbench.view('Review');
  const agents = workbench.view('Agents');
  await agents.row(/^e1 /);
  say('world', `(${before.slice(0, 7)}, ${folder === '' ? '/' : folder}) is surveyed, ${await shot('surveying')}`);
  await agents.row(/^e1 .*proposes a change/);
  await review.row(/./);
  say('proposed', `${(await workbench.treeRows('Review')).join('; ')}, ${await shot('proposed')}`);
  if (git('rev-parse', 'HEAD') !== before || git('status', '--porcelain') !== '') throw new Error('the checkout was touched before anything was accepted');

  await review.clickInline(/^/, 'Open Changes');
  const files = await workbench.editors.multiDiffTitles();
  say('diff', `${files.map((file) => file.replace(/^\/+/, '')).join(', ')}, ${await shot('diff')}`);

  const accepted = await accept('accepted');
  await workbench.clickNotificationButton('Undo', /accepted/i);
  await workbench.waitForNotification(/undone/i);
  const undone = git('rev-parse', 'HEAD');
  if (git('rev-parse', `${undone}^{tree}`) !== git('rev-parse', `${before}^{tree}`)) throw new Error('the undo left something behind');
  say('undone', `${undone.slice(0, 7)} holds what ${before.slice(0, 7)} held, ${await shot('undone')}`);
  const again = await accept('accepted-again');

  const changed = git('diff', '--name-status', before, again).split('\n');
  if (accepted === again || changed.some((line) => !/^A\t.*CONTEXT\.md$/.test(line))) throw new Error(`more than CONTEXT.md files changed: ${changed.join('; ')}`);
  if (git('status', '--porcelain') !== '') throw new Error('the checkout does not match its branch');
  const now = contents(clone);
  const touched = [...new Set([...now.keys(), ...held.keys()])].filter((name) => now.get(name) !== held.get(name));
  if (touched.length !== changed.length) throw new Error(`other files were touched: ${touched.join(', ')}`);
  say('verified', `${changed.length} CONTEXT.md ${changed.length === 1 ? 'file is' : 'files are'} on ${branch || 'demo'} at ${again.slice(0, 7)}; the other ${count} files are untouched`);
  for (const line of changed) console.log(`\n=== ${line.slice(2)}\n${readFileSync(path.join(clone, line.slice(2)), 'utf8')}`);

  async function accept(name: string): Promise<string> {
    await review.clickInline(/^/, 'Accept', () => workbench.quickInput.isOpen());
    await workbench.quickInput.row(/Accept onto/);
    await workbench.screenshot(`${name}-box`);
    await workbench.pick(/Accept onto/);
    await workbench.waitForNotification(/accepted/i);
    const commit = git('rev-parse', 'HEAD');
    // The picture shows the branch where it is now.
    await workbench.view('Worlds').row(new RegExp(commit.slice(0, 7)));
    say(name, `${commit.slice(0, 7)} ${git('log', '-1', '--format=%s')}, ${await shot(name)}`);
    return commit;
  }
} catch (error) {
  say('failed', `${await workbench.screenshot('failed')}\n${await workbench.seen()}`);
  throw error;
} finally {
  await browser.close();
  await editor.stop();
  removeFolder(parent);
}

/** What every file outside `.git` holds, by path; links count by where they point. */
function contents(top: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const entry of readdirSync(top, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(top, file);
    if (name === '.git' || name.startsWith(`.git${path.sep}`) || entry.isDirectory()) continue;
    found.set(name, entry.isSymbolicLink() ? `-> ${readlinkSync(file)}` : createHash('sha256').update(readFileSync(file)).digest('hex'));
  }
  return found;
}
