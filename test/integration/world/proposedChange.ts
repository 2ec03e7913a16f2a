import type { EpisodeId } from '../../../src/core/ids.ts';
import { filePath } from '../../../src/core/ids.ts';
import { call, ScriptedModel, type ScriptedAnswer } from '../../support/scriptedModel.ts';
import { makeTemporaryRepository, type FileTree, type TemporaryRepository } from '../../support/temporaryRepository.ts';
import { TestWorld, value, type TestWorldOptions } from '../../support/testWorld.ts';

const TEN = Array.from({ length: 10 }, (_, i) => `line ${String(i + 1)}\n`).join('');

/** A file with its n-th line replaced. */
export const withLine = (n: number, words: string, text = TEN): string => text.replace(`line ${String(n)}\n`, `${words}\n`);

export const FILES: FileTree = { 'README.md': '# Sample\n', 'api/server.ts': TEN, 'api/route.ts': TEN, 'api/old.ts': 'old\nfile\nof\nfour lines\n', 'api/gone.ts': 'gone\n', 'web/page.ts': 'export const page = 1;\n' };

export interface Proposed {
  readonly repository: TemporaryRepository;
  readonly model: ScriptedModel;
  readonly world: TestWorld;
  /** Delegates `api` and waits until a change of the given files is proposed; null deletes a file. */
  readonly propose: (files: Readonly<Record<string, string | null>>, folder?: string) => Promise<EpisodeId>;
}

/**
 * A world in which an agent proposes exactly the given files. It writes one of them; the person's hand in the diff makes
 * the others, so that deletions and renames need no command.
 */
export async function givenWorld(cleanups: (() => Promise<void> | void)[], files: FileTree = FILES, options: TestWorldOptions = {}, more: readonly ScriptedAnswer[] = []): Promise<Proposed> {
  const repository = makeTemporaryRepository(files);
  repository.git('config', 'user.name', 'Test Person');
  repository.git('config', 'user.email', 'person@example.test');
  const writes: (readonly [string, string])[] = [];
  let step = 0;
  const later = [...more];
  const model = await ScriptedModel.start({
    script: () => {
      const [next] = writes;
      if (next === undefined) return later.shift() ?? { calls: [call('finish', { subject: 'Reworked', report: 'Done again.' })] };
      if (step++ % 2 === 0) return { calls: [call('write_file', { path: next[0], content: next[1] })] };
      writes.shift();
      return { calls: [call('finish', { subject: `Change ${next[0]}`, report: 'Changed it.' })] };
    },
  });
  const world = await TestWorld.open(repository.folder, { baseUrl: model.baseUrl, ...options });
  cleanups.push(() => repository.remove(), () => model.stop(), () => world.forget(), () => world.close());
  return {
    repository, model, world,
    propose: async (change, folder = 'api') => {
      const entries = Object.entries(change);
      const first = entries.find((entry): entry is [string, string] => entry[1] !== null);
      if (!first) throw new Error('an agent writes at least one file');
      writes.push(first);
      const id = await world.delegate(folder, `Change ${first[0]}`);
      await world.reaches(id, 'waiting');
      for (const [path, text] of entries) {
        if (path !== first[0]) value(await world.world.saveEdit(id, filePath.parse(path), text === null ? null : Buffer.from(text)));
      }
      return id;
    },
  };
}
