import { candidateFiles, type Candidate, type ChangedFile } from './candidate.ts';
import type { FilePath } from '../ids.ts';
import type { Episode } from '../world/state.ts';

/**
 * What an editor that was opened on candidate `number` shows: that candidate with what the person did to it since.
 * A candidate that the agent made later is another change, and never slips into an open editor.
 */
export function shownCandidate(episode: Episode, number: number): Candidate | undefined {
  let shown = episode.candidates.find((c) => c.number === number) ?? replacedBy(episode, number);
  for (const candidate of episode.candidates) {
    if (shown === undefined || candidate.number <= shown.number) continue;
    // What the line has taken does not wait any more; the rest that follows it does.
    if (candidate.source === 'taken') continue;
    if (!isByPerson(candidate)) break;
    shown = candidate;
  }
  return shown;
}

/** The entry of a file in a candidate's difference; undefined where the candidate leaves the file as the base has it. */
export function changedFileAt(candidate: Candidate, path: FilePath): ChangedFile | undefined {
  return candidateFiles(candidate).find((file) => file.path === path);
}

/** Successive saves replace one edit candidate: the number that an editor was opened on may be gone. */
function replacedBy(episode: Episode, number: number): Candidate | undefined {
  const next = episode.candidates.find((c) => c.number > number);
  return next && isByPerson(next) ? next : undefined;
}

/** Made by the person from a candidate that they saw: it is no news to them. */
function isByPerson(candidate: Pick<Candidate, 'source'>): boolean {
  return candidate.source === 'edit' || candidate.source === 'allowed' || candidate.source === 'dropped' || candidate.source === 'rest';
}
