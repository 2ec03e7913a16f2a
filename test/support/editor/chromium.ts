import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { installDebianPackages } from '../debianPackages.ts';

/** No sandbox, as root cannot have one; no shared memory, as containers give little; the rest keeps it off the internet. */
const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-dev-shm-usage', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

export async function launchChromium(options: { readonly visible?: boolean } = {}): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium() ?? installChromium(), args: flags, headless: options.visible !== true });
}

function findChromium(): string | undefined {
  const chosen = process.env['WORLDTREE_CHROMIUM'];
  if (chosen !== undefined && chosen !== '') {
    if (!isExecutable(chosen)) throw new Error(`WORLDTREE_CHROMIUM names ${chosen}, which cannot be run.`);
    return chosen;
  }
  return [...onPath(), ...wellKnown(), ...fromPlaywright()].find(isExecutable);
}

function installChromium(): string {
  try {
    // Text needs a font, and a slim system has none.
    installDebianPackages('chromium', 'fonts-dejavu-core');
  } catch (error) {
    throw new Error(`Chromium is missing and could not be installed. Run: ${installCommand()}`, { cause: error });
  }
  const installed = findChromium();
  if (installed !== undefined) return installed;
  throw new Error(`Chromium is missing. Run: ${installCommand()} — or name one with WORLDTREE_CHROMIUM=/path/to/chromium.`);
}

function installCommand(): string {
  if (process.platform === 'darwin') return 'brew install --cask chromium';
  if (process.platform === 'win32') return 'winget install Google.Chrome';
  if (existsSync('/usr/bin/apt-get')) return 'sudo apt-get install -y chromium';
  if (existsSync('/usr/bin/dnf')) return 'sudo dnf install -y chromium';
  if (existsSync('/usr/bin/pacman')) return 'sudo pacman -S chromium';
  if (existsSync('/sbin/apk')) return 'sudo apk add chromium';
  return 'npx playwright-core install --with-deps chromium';
}

function onPath(): readonly string[] {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'];
  return (process.env['PATH'] ?? '').split(path.delimiter).flatMap((folder) => names.map((name) => path.join(folder, name)));
}

function wellKnown(): readonly string[] {
  if (process.platform === 'darwin') return ['Chromium', 'Google Chrome', 'Microsoft Edge'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`);
  if (process.platform === 'win32') return ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].map((name) => path.join(process.env[name] ?? 'C:\\', 'Google', 'Chrome', 'Application', 'chrome.exe'));
  return ['/usr/bin/chromium', '/usr/bin/google-chrome', '/snap/bin/chromium'];
}

function fromPlaywright(): readonly string[] {
  const caches = [process.env['PLAYWRIGHT_BROWSERS_PATH'], path.join(homedir(), '.cache', 'ms-playwright'), path.join(homedir(), 'Library', 'Caches', 'ms-playwright')];
  const inside = ['chrome-linux/chrome', 'chrome-linux64/chrome', 'chrome-mac/Chromium.app/Contents/MacOS/Chromium', 'chrome-win/chrome.exe'];
  return caches.filter((cache) => cache !== undefined && existsSync(cache)).flatMap((cache) => {
    const builds = readdirSync(cache ?? '').filter((name) => name.startsWith('chromium-')).toSorted().toReversed();
    return builds.flatMap((build) => inside.map((file) => path.join(cache ?? '', build, file)));
  });
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
