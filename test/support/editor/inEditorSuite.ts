import { existsSync, readFileSync, watch } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { projectRoot } from '../projectRoot.ts';
import { makeTemporaryFolder, removeFolder } from '../temporaryFolder.ts';
import { makeTemporaryRepository, type FileTree } from '../temporaryRepository.ts';
import { NO_SANDBOX } from '../sandboxPrograms.ts';
import { launchChromium } from './chromium.ts';
import type { EditorReport } from './editorReport.ts';
import { newestRelease, type EditorRelease } from './editorRelease.ts';
import { patience } from './patience.ts';
import { startEditor } from './vscodeServer.ts';
import { workbenchAddress } from './workbenchAddress.ts';

interface InEditorOptions {
  readonly release?: EditorRelease;
  /** What the opened folder holds; it is a git repository. */
  readonly files?: FileTree;
  /** A workspace file that is opened instead of a folder. */
  readonly workspace?: string;
  /** Tests this packaged extension, installed as a person installs it, instead of the one in the project's folder. */
  readonly vsix?: string;
  /** Runs only the tests whose title holds this. */
  readonly only?: string;
  readonly timeout?: number;
}

const folderOfNoExtension = path.join(projectRoot, 'test', 'fixtures', 'emptyExtension');
const bundle = path.join(projectRoot, 'out', 'editor', 'index.cjs');

/** Runs the suite of `test/editor` inside the extension host of a real VS Code. */
export async function runInEditorSuite(options: InEditorOptions = {}): Promise<EditorReport> {
  const release = options.release ?? newestRelease;
  const where = options.vsix === undefined ? 'in memory' : 'on disk';
  const repository = makeTemporaryRepository(options.files ?? { 'README.md': '# A project\n', 'packages/api/src/server.ts': 'export const port = 80;\n' }, 'project', makeTemporaryFolder('repository', where));
  const reports = makeTemporaryFolder('report');
  const reportFile = path.join(reports, 'report.json');
  const editor = await startEditor({
    release,
    extensionTests: true,
    // The library that makes it comes with the package, and must work from where it was installed.
    sandbox: options.vsix !== undefined && NO_SANDBOX === null,
    machineSettings: { 'worldtree.sandbox.network': 'off' },
    env: { WORLDTREE_TEST_REPORT: reportFile, WORLDTREE_TEST_VSCODE: release.vscode, ...(options.only !== undefined && { WORLDTREE_TEST_ONLY: options.only }), ...(options.vsix !== undefined && { WORLDTREE_TEST_SANDBOX: NO_SANDBOX ?? 'there' }) },
  });
  const browser = await launchChromium();
  const heard: string[] = [];
  try {
    if (options.vsix !== undefined) await editor.installExtension(options.vsix);
    const page = await browser.newPage();
    page.on('console', (message) => void heard.push(message.text()));
    page.setDefaultTimeout(patience);
    await page.goto(workbenchAddress(editor, options.workspace ?? repository.folder, {
      // VS Code runs tests only in a window that develops an extension, so the packaged one comes with an empty companion.
      extensionDevelopmentPath: options.vsix === undefined ? projectRoot : folderOfNoExtension,
      extensionTestsPath: bundle,
    }));
    return await reportFrom(reportFile, page, options.timeout ?? 900_000);
  } catch (error) {
    throw new Error(`The suite in VS Code ${release.vscode} gave no report.\n${heard.slice(-40).join('\n')}\n${editor.log().slice(-4000)}`, { cause: error });
  } finally {
    await browser.close();
    await editor.stop();
    repository.remove();
    removeFolder(reports);
  }
}

async function reportFrom(file: string, page: Page, timeout: number): Promise<EditorReport> {
  await new Promise<void>((resolve, reject) => {
    const watcher = watch(path.dirname(file), () => {
      if (existsSync(file)) finish(resolve);
    });
    const timer = setTimeout(() => finish(() => reject(new Error(`No report after ${timeout / 1000} s.`))), timeout);
    const finish = (then: () => void): void => {
      watcher.close();
      clearTimeout(timer);
      then();
    };
    page.once('crash', () => finish(() => reject(new Error('The page crashed.'))));
    if (existsSync(file)) finish(resolve);
  });
  return JSON.parse(readFileSync(file, 'utf8')) as EditorReport;
}
