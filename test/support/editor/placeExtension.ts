import { cpSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** What a packaged extension never holds. */
const leftOut = new Set(['node_modules', 'out', 'src', 'test', 'webview', 'scripts']);

/** Puts an extension's folder where VS Code looks for installed ones; it must happen before the server starts. */
export function placeExtension(folder: string, extensions: string): void {
  const { publisher, name, version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as { publisher: string; name: string; version: string };
  cpSync(folder, path.join(extensions, `${publisher}.${name}-${version}`), {
    recursive: true,
    filter: (source) => {
      const [top] = path.relative(folder, source).split(path.sep);
      return top === undefined || !(leftOut.has(top) || top.startsWith('.'));
    },
  });
}
