import { contextChain } from '../core/context/contextChain.ts';
import type { Message } from '../core/episode/model.ts';
import { ROOT } from '../core/paths.ts';
import { candidateFiles } from '../core/candidate/candidate.ts';
import { dependenciesNote } from '../core/prompt/dependenciesNote.ts';
import { firstMessages } from '../core/prompt/firstMessages.ts';
import { goesOnWithoutConversation } from '../core/prompt/hostMessages.ts';
import { programsFor, programsNote } from '../core/prompt/programs.ts';
import { repositoryFacts } from '../core/prompt/repositoryFacts.ts';
import { ROLES } from '../core/roles.ts';
import type { Episode } from '../core/world/state.ts';
import type { WorldPorts } from './ports/worldPorts.ts';
import { readingAll } from './readingAll.ts';

/** An episode's first messages, from what its version holds. */
export async function firstMessagesFor({ repository, tools }: Pick<WorldPorts, 'repository' | 'tools'>, episode: Episode): Promise<readonly Message[]> {
  const { world, role, limits, notes, brought } = episode;
  const files = (await repository.list(world.commit, ROOT)).map((entry) => entry.path);
  const name = repository.checkout.split(/[/\\]/).at(-1) ?? '';
  const facts = await readingAll(repository, world.commit, (read) => repositoryFacts(name, files, read));
  const there = new Set<string>(files);
  const programs = programsFor(facts);
  const missing = ROLES[role].runsCommands ? [
    programsNote(programs, tools.programsThere(programs)),
    await readingAll(repository, world.commit, (read) => dependenciesNote({ has: (path) => there.has(path), read }, [...files, ...brought])),
  ].filter((note) => note !== null) : [];
  return firstMessages({
    facts,
    chain: await readingAll(repository, world.commit, (read) => contextChain(world.path, read)),
    role, world, limits, goal: goalOf(episode), notes: [...notes, ...missing],
  });
}

/** With a change from before there was a conversation, and whoever asks for first messages does not have it. */
function goalOf({ goal, candidates, reworked }: Episode): string {
  const change = candidates.at(-1);
  return change === undefined ? goal : `${goal.trim()}\n\n${goesOnWithoutConversation({ report: change.report, files: candidateFiles(change), words: reworked?.words ?? '' })}`;
}
