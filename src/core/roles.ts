import type { FolderPath } from './ids.ts';
import type { RoleName } from './ledger/events.ts';
import { displayFolder } from './paths.ts';

/** What an agent is for, as data: the loop, the tools and the prompt read it and know no role by name. */
interface Role {
  /** Whether it has the tool `run`. */
  readonly runsCommands: boolean;
  /** The roles of children that it may start; none for one that may not delegate. */
  readonly mayStart: readonly RoleName[];
  /** What it is asked to do beyond what everyone is told. */
  readonly page: string;
}

export const ROLES: Readonly<Record<RoleName, Role>> = {
  executor: {
    runsCommands: true, mayStart: [],
    page: `You carry out the goal below yourself, from start to end: find out how the code works, make the change, check it, finish. You may not delegate.`,
  },
  surveyor: {
    runsCommands: false, mayStart: [],
    page: `You survey your folder. Propose a CONTEXT.md in it and in the most substantial folders below it, twelve at most; never change one that is there, and change nothing else. A CONTEXT.md says what its folder is for, its API surface, its constraints, which folder below holds what (a routing table), known issues, and notes for agents: how it is tested and linted. It describes the present state, in few words. Link to AGENTS.md, CLAUDE.md and CONTRIBUTING rather than repeat them. Leave out a section about which nothing is known: a wrong line is worse than none.`,
  },
};

/** The goal of a survey, which nobody types. */
export function surveyGoal(folder: FolderPath): string {
  return `Survey ${displayFolder(folder)}`;
}
