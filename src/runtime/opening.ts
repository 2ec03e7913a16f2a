import { contextChain } from '../core/context/contextChain.ts';
import type { Message } from '../core/episode/model.ts';
import type { CommitId } from '../core/ids.ts';
import { ROOT } from '../core/paths.ts';
import { firstMessages } from '../core/prompt/firstMessages.ts';
import type { RepositoryFacts } from '../core/prompt/repositoryFacts.ts';
import { commandsOf } from '../core/survey/commands.ts';
import type { Episode } from '../core/world/state.ts';
import type { Repository } from './ports/repository.ts';
import { readingAll } from './readingAll.ts';

/** An episode's first messages, from what its version holds. */
export async function firstMessagesFor(repository: Repository, episode: Episode): Promise<readonly Message[]> {
  const { world, role, limits, goal, notes } = episode;
  return firstMessages({
    facts: await factsOf(repository, world.commit),
    pages: await readingAll(repository, world.commit, (read) => contextChain(world.path, read)),
    role, world, limits, goal, notes,
  });
}

async function factsOf(repository: Repository, commit: CommitId): Promise<RepositoryFacts> {
  const files = (await repository.list(commit, ROOT)).map((entry) => entry.path);
  const topLevel = [...new Set(files.map((path) => (path.includes('/') ? `${path.slice(0, path.indexOf('/'))}/` : path)))].sort();
  const commands = await readingAll(repository, commit, (read) => {
    const there = new Set<string>(files);
    return commandsOf(ROOT, { has: (path) => there.has(path), read });
  });
  return { name: repository.checkout.split(/[/\\]/).at(-1) ?? '', topLevel, commands: commands.map((c) => c.run) };
}
