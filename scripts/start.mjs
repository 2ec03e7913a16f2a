// npm start: a real VS Code with the extension, in the browser, on a copy of this project.
// npm start -- /path/to/repository    on a copy of that one
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { onProjectNode } from './projectNode.mjs';

if (await onProjectNode(import.meta.url)) {
  const { startEditor } = await import('../test/support/editor/vscodeServer.ts');
  const { newestRelease, oldestRelease } = await import('../test/support/editor/editorRelease.ts');
  const { workbenchAddress } = await import('../test/support/editor/workbenchAddress.ts');
  const { makeTemporaryFolder, removeFolder } = await import('../test/support/temporaryFolder.ts');
  const { values, positionals } = parseArgs({ options: { oldest: { type: 'boolean' } }, allowPositionals: true });

  execFileSync('node', ['esbuild.mjs'], { stdio: 'inherit' });
  // npm runs scripts in the project's folder; a path is meant from where the person stands.
  const source = positionals[0] === undefined ? process.cwd() : path.resolve(process.env.INIT_CWD ?? '.', positionals[0]);
  const parent = makeTemporaryFolder('start', 'on disk');
  const folder = path.join(parent, path.basename(source));
  try {
    execFileSync('git', ['clone', '--quiet', '--no-hardlinks', source, folder], { stdio: 'inherit' });
  } catch {
    // Git has said why.
    removeFolder(parent);
    process.exit(1);
  }
  console.log('Starting VS Code; the first time it is downloaded, which takes a minute…');
  const editor = await startEditor({ release: values.oldest ? oldestRelease : newestRelease, extensions: [process.cwd()], keepRunning: true, sandbox: true });
  console.log(`\nOpen ${workbenchAddress(editor, folder)}\n\nThe folder is a copy of ${source}. Ctrl-C stops the editor and removes the copy.`);

  const stop = async () => {
    await editor.stop();
    removeFolder(parent);
    process.exit(0);
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
}
