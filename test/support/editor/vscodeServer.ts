import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeTemporaryFolder, removeFolder } from '../temporaryFolder.ts';
import { newestRelease, type EditorRelease } from './editorRelease.ts';
import { installEditor, type InstalledEditor } from './installEditor.ts';
import { patience } from './patience.ts';
import { placeExtension } from './placeExtension.ts';
import { makePersonsHome } from './personsHome.ts';
import { endProcessTree, killProcessTreeNow } from './processTree.ts';

export type Settings = Readonly<Record<string, unknown>>;

export interface EditorOptions {
  readonly release?: EditorRelease;
  /** The person's settings. VS Code reads them when a page opens and does not look again. */
  readonly userSettings?: Settings;
  /** Settings of the machine, which `changeMachineSettings` can change while the editor runs; they win over the person's. */
  readonly machineSettings?: Settings;
  /** Added to the environment of the extension host. */
  readonly env?: NodeJS.ProcessEnv;
  /** Starts in Restricted Mode, as for a person who has not trusted the folder yet; `Workbench.trustFolder` trusts it. */
  readonly restricted?: boolean;
  /** Folders of extensions that are there from the start, as if installed. Build them before. */
  readonly extensions?: readonly string[];
  /** Lets a page run an extension's tests. VS Code then shows no notifications and skips some dialogs, so it is not for walk-throughs. */
  readonly extensionTests?: boolean;
  /** Keeps an unused server alive; without it one that was forgotten ends by itself after some minutes. */
  readonly keepRunning?: boolean;
  /** Commands run in the machine's sandbox. Left out, each of them asks. */
  readonly sandbox?: boolean;
}

export interface RunningEditor {
  readonly release: EditorRelease;
  /** The address of the workbench, without a folder. */
  readonly origin: string;
  /** The home folder of the person who uses this editor. */
  readonly home: string;
  /** The file of the machine's settings; what the person changes of them in the editor is written there. */
  readonly machineSettingsFile: string;
  /** What the server has written so far. */
  log(): string;
  changeMachineSettings(change: Settings): void;
  installExtension(vsix: string): Promise<void>;
  stop(): Promise<void>;
}

/** What a person would click away, or what needs the internet. */
const quietSettings: Settings = {
  'workbench.startupEditor': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.tips.enabled': false,
  // They cost several seconds of each start. A test that needs language models sets this to false.
  'chat.disableAIFeatures': true,
  'workbench.enableExperiments': false,
  'workbench.reduceMotion': 'on',
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
  'explorer.compactFolders': false,
  'extensions.ignoreRecommendations': true,
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'telemetry.telemetryLevel': 'off',
  'git.autofetch': false,
};

/** Starts VS Code's server with folders of its own; whoever starts it stops it. */
export async function startEditor(options: EditorOptions = {}): Promise<RunningEditor> {
  const installed = await installEditor(options.release ?? newestRelease);
  const root = makeTemporaryFolder('editor', options.sandbox === true ? 'on disk' : 'in memory');
  const files = prepareFolders(root, options);
  const child = spawn(installed.node, serverArguments(installed, files, options), {
    cwd: root,
    env: { ...makePersonsHome(files.home), ...options.env },
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const killNow = (): void => {
    if (child.pid !== undefined) killProcessTreeNow(child.pid);
    removeFolder(root);
  };
  process.once('exit', killNow);
  const stop = async (): Promise<void> => {
    process.off('exit', killNow);
    await endProcessTree(child);
    removeFolder(root);
  };
  let output = '';
  const heard = (chunk: Buffer): void => void (output += chunk.toString());
  child.stdout.on('data', heard);
  child.stderr.on('data', heard);
  let machineSettings = machineSettingsOf(options);
  try {
    const port = await listeningPort(child, () => output);
    return {
      release: installed.release,
      origin: `http://127.0.0.1:${port}`,
      home: files.home,
      machineSettingsFile: files.machineSettings,
      log: () => output,
      changeMachineSettings: (change) => {
        machineSettings = { ...machineSettings, ...change };
        writeFileSync(files.machineSettings, JSON.stringify(machineSettings, undefined, 2));
      },
      installExtension: (vsix) => installExtension(installed, files, vsix),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface EditorFolders {
  readonly home: string;
  readonly serverData: string;
  readonly extensions: string;
  readonly machineSettings: string;
}

function prepareFolders(root: string, options: EditorOptions): EditorFolders {
  const serverData = path.join(root, 'server');
  const files = { home: path.join(root, 'home'), serverData, extensions: path.join(root, 'extensions'), machineSettings: path.join(serverData, 'data', 'Machine', 'settings.json') };
  // code-server keeps the person's settings on the server, not in the browser's storage.
  const userSettings = path.join(serverData, 'data', 'User', 'settings.json');
  for (const folder of [files.home, files.extensions, path.dirname(files.machineSettings), path.dirname(userSettings)]) mkdirSync(folder, { recursive: true });
  writeFileSync(userSettings, JSON.stringify({ ...quietSettings, ...options.userSettings }, undefined, 2));
  writeFileSync(files.machineSettings, JSON.stringify(machineSettingsOf(options), undefined, 2));
  for (const folder of options.extensions ?? []) placeExtension(folder, files.extensions);
  return files;
}

function machineSettingsOf(options: EditorOptions): Settings {
  return { 'worldtree.sandbox.enabled': options.sandbox === true, ...options.machineSettings };
}

function serverArguments({ serverMain }: InstalledEditor, files: EditorFolders, options: EditorOptions): string[] {
  return [
    ...[serverMain, '--host', '127.0.0.1', '--port', '0', '--without-connection-token', '--accept-server-license-terms'],
    ...['--disable-telemetry', '--server-data-dir', files.serverData, '--extensions-dir', files.extensions],
    ...(options.extensionTests === true ? ['--enable-smoke-test-driver'] : []),
    ...(options.restricted === true ? [] : ['--disable-workspace-trust']),
    ...(options.keepRunning === true ? [] : ['--enable-remote-auto-shutdown']),
  ];
}

/** The server chooses a free port itself and names it in its first lines. */
async function listeningPort(child: ChildProcess, output: () => string): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string): void => reject(new Error(`VS Code's server ${reason}.\n${output()}`));
    const timer = setTimeout(() => fail(`did not listen within ${patience / 1000} s`), patience);
    child.stdout?.on('data', () => {
      const port = /Extension host agent listening on (\d+)/.exec(output())?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      resolve(Number(port));
    });
    child.once('error', (error) => fail(`could not be started: ${error.message}`));
    child.once('exit', (code) => {
      clearTimeout(timer);
      fail(`ended with ${String(code)} before it listened`);
    });
  });
}

async function installExtension({ node, serverMain }: InstalledEditor, files: EditorFolders, vsix: string): Promise<void> {
  const child = spawn(node, [serverMain, '--install-extension', vsix, '--force', '--accept-server-license-terms', '--server-data-dir', files.serverData, '--extensions-dir', files.extensions], {
    env: makePersonsHome(files.home),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => void (output += chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`Installing ${vsix} ended with ${String(code)}.\n${output}`);
}
