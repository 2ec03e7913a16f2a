import * as vscode from 'vscode';
import { unreachable } from '../../core/exhaustive.ts';
import { LoneFiles } from '../loneFiles.ts';
import type { Worlds } from '../worlds.ts';
import { parseBase, pathOf } from './changeAddress.ts';
import { waitForWorld } from './waitForWorld.ts';

/**
 * The left side of a review: files as a commit has them. A file system rather than a text provider, so that pictures,
 * other binaries and encodings open as they do anywhere. Nothing in it ever changes.
 */
export class BaseFiles extends LoneFiles implements vscode.FileSystemProvider {
  readonly #worlds: Worlds;
  readonly onDidChangeFile = new vscode.EventEmitter<vscode.FileChangeEvent[]>().event;

  constructor(worlds: Worlds) {
    super();
    this.#worlds = worlds;
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const address = parseBase(uri);
    if (!address) throw vscode.FileSystemError.FileNotFound(uri);
    const { content } = address;
    switch (content.kind) {
      case 'nothing': return new Uint8Array();
      case 'submodule': return new TextEncoder().encode(submoduleText(content.commit));
      case 'file': {
        const world = await waitForWorld(this.#worlds, address.repository);
        const bytes = await world?.repository.read(content.commit, pathOf(uri));
        if (!bytes) throw vscode.FileSystemError.FileNotFound(uri);
        return bytes;
      }
      default: return unreachable(content);
    }
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const bytes = await this.readFile(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime: 0, size: bytes.byteLength, permissions: vscode.FilePermission.Readonly };
  }

  writeFile(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }
}

/** As git's own diff shows a submodule. */
export function submoduleText(commit: string): string {
  return `Subproject commit ${commit}\n`;
}
