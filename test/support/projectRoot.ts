import { existsSync } from 'node:fs';
import path from 'node:path';

/** The folder that holds package.json: found by looking upwards, because this file may also be part of a bundle in `out/`. */
export const projectRoot = findProjectRoot(import.meta.dirname);

function findProjectRoot(start: string): string {
  for (let folder = start; ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, 'package.json'))) return folder;
    if (folder === path.dirname(folder)) throw new Error(`No package.json above ${start}`);
  }
}
