import { rmSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../projectRoot.ts';
import { makeTemporaryFolder } from '../temporaryFolder.ts';
import { makeTemporaryRepository, type FileTree, type TemporaryRepository } from '../temporaryRepository.ts';
import { launchChromium } from './chromium.ts';
import type { Theme } from './theme.ts';
import { startEditor, type EditorOptions, type RunningEditor } from './vscodeServer.ts';
import { Workbench } from './workbench.ts';

export interface WalkOptions extends EditorOptions {
  /** What the repository holds that is opened. */
  readonly files: FileTree;
  /** True leaves the repository without a commit. */
  readonly uncommitted?: boolean;
  readonly theme?: Theme;
  /** Installs this package instead of the extension in the project's folder. */
  readonly vsix?: string;
}

export interface Walk {
  readonly workbench: Workbench;
  readonly repository: TemporaryRepository;
  readonly editor: RunningEditor;
  /** What the extension host and the page wrote to the console. */
  readonly console: readonly string[];
}

/** VS Code's server runs without compiled modules, and says so often. */
const missingNativeModule = /bindings file|native-watchdog|spdlog/;

/** Opens a real VS Code on a new repository with the extension installed, lets `steps` use it, and clears everything away. */
export async function walk(name: string, options: WalkOptions, steps: (walk: Walk) => Promise<void>): Promise<void> {
  rmSync(path.join(projectRoot, 'out', 'screenshots', name), { recursive: true, force: true });
  const repository = makeTemporaryRepository(options.uncommitted === true ? {} : options.files, 'project', makeTemporaryFolder('repository', options.sandbox === true ? 'on disk' : 'in memory'));
  if (options.uncommitted === true) repository.write(options.files);
  const editor = await startEditor({ ...options, extensions: options.extensions ?? (options.vsix === undefined ? [projectRoot] : []) });
  const browser = await launchChromium();
  const heard: string[] = [];
  try {
    if (options.vsix !== undefined) await editor.installExtension(options.vsix);
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    page.on('console', (message) => void heard.push(message.text().slice(0, 500)));
    const workbench = new Workbench(page, editor, name, options.theme);
    try {
      await workbench.open(repository.folder);
      await steps({ workbench, repository, editor, console: heard });
    } catch (error) {
      const seen = await workbench.screenshot('failed').catch(() => 'no screenshot');
      throw new Error(`${error instanceof Error ? error.message : String(error)}\nThe window then: ${seen}\n${await workbench.seen()}\nThe console's last lines:\n${heard.filter((line) => !missingNativeModule.test(line)).slice(-15).join('\n')}`, { cause: error });
    }
  } finally {
    await browser.close();
    await editor.stop();
    repository.remove();
  }
}
