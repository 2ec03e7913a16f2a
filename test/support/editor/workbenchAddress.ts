import type { RunningEditor } from './vscodeServer.ts';

interface DevelopmentPaths {
  /** The folder of an extension that VS Code loads without installing it. */
  readonly extensionDevelopmentPath?: string;
  /** The module whose `run()` VS Code calls inside the extension host. */
  readonly extensionTestsPath?: string;
}

/** The address that opens a folder, or a workspace file, in the running editor. */
export function workbenchAddress(editor: RunningEditor, opened: string, paths: DevelopmentPaths = {}): string {
  const payload: (readonly [string, string])[] = [['skipWelcome', 'true'], ['skipReleaseNotes', 'true']];
  for (const name of ['extensionDevelopmentPath', 'extensionTestsPath'] as const) {
    const value = paths[name];
    if (value !== undefined) payload.push([name, `vscode-remote://remote${encodeURI(value)}`]);
  }
  return `${editor.origin}/?${opened.endsWith('.code-workspace') ? 'workspace' : 'folder'}=${encodeURIComponent(opened)}&payload=${encodeURIComponent(JSON.stringify(payload))}`;
}
