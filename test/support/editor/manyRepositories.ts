import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeTemporaryFolder, removeFolder } from '../temporaryFolder.ts';
import { makeTemporaryRepository, type FileTree } from '../temporaryRepository.ts';

const FILES: FileTree = { 'README.md': '# Sample\n', 'packages/api/server.ts': 'export const port = 80;\n' };

/**
 * What a person's workspace may hold, as one workspace file: `shop` and `blog` are repositories, `packages` is a folder of
 * `shop`, `next` a linked worktree of it on a branch of its own, `tool` a repository within it, `plain` in no repository.
 */
export function makeManyRepositories(): { readonly workspace: string; remove(): void } {
  const home = makeTemporaryFolder('workspace');
  const shop = makeTemporaryRepository(FILES, 'shop');
  const blog = makeTemporaryRepository(FILES, 'blog');
  const tool = makeTemporaryRepository(FILES, 'tool');
  const inside = path.join(shop.folder, 'vendor/tool');
  shop.git('clone', '--quiet', tool.folder, inside);
  shop.write({ '.git/info/exclude': 'vendor/\n' });
  const next = path.join(home, 'next');
  shop.git('worktree', 'add', '--quiet', '-b', 'next', next);
  for (const at of [shop.folder, blog.folder, inside]) {
    shop.git('-C', at, 'config', 'user.name', 'Ada Person');
    shop.git('-C', at, 'config', 'user.email', 'ada@example.test');
  }
  shop.git('-C', next, 'commit', '--quiet', '--allow-empty', '-m', 'Only on next');
  const plain = path.join(home, 'plain');
  mkdirSync(plain);
  writeFileSync(path.join(plain, 'notes.md'), 'No repository.\n');
  const workspace = path.join(home, 'all.code-workspace');
  const folders = { shop: shop.folder, blog: blog.folder, packages: path.join(shop.folder, 'packages'), next, tool: inside, plain };
  writeFileSync(workspace, JSON.stringify({ folders: Object.entries(folders).map(([name, at]) => ({ name, path: at })) }));
  return {
    workspace,
    remove: () => {
      for (const repository of [shop, blog, tool]) repository.remove();
      removeFolder(home);
    },
  };
}
