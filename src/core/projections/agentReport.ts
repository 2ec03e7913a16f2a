import { candidateFiles, type Candidate } from '../candidate/candidate.ts';
import { modelName } from '../episode/model.ts';
import { shortCommit } from '../ids.ts';
import { displayFolder } from '../paths.ts';
import { maskSecrets } from '../secretLooks.ts';
import { currentCandidate, type Episode } from '../world/state.ts';
import { count, duration } from './amounts.ts';
import { newestEvidence, resultWords } from './checkWords.ts';
import { agentName, limitWords, lineName, spentWords, stateWords } from './episodeWords.ts';
import { changeWords, linesWords } from './fileRows.ts';
import { flagWords } from './reviewRows.ts';

/** The row that leads on to the transcript, the first of this name on the page. */
export const TRANSCRIPT_ROW = 'Transcript';

/** All that is known about one agent, as Markdown, without secrets. `live` is what it does and says this moment. */
export function agentReport(episode: Episode, live: { readonly words: string; readonly text: string } | undefined): string {
  const candidate = currentCandidate(episode) ?? episode.candidates.at(-1);
  const sections = [
    `# ${agentName(episode)}`,
    table([
      ['State', stateWords(episode, live?.words)],
      ['World', `${displayFolder(episode.world.path)} at ${shortCommit(episode.world.commit)}, for ${lineName(episode.target)}`],
      ['Model', `${modelName(episode.model)}, ${episode.role}`],
      ['Spent', `${spentWords(episode)}, ${duration(episode.spent.wallMs)} at work`],
      ...(episode.model.kind === 'survey' ? [] : [['Limits', `${limitWords(episode.limits, episode.model)} · ${count(episode.limits.turns, 'turn')}`] as const]),
      [TRANSCRIPT_ROW, 'every turn, call and answer'],
    ]),
    section('Goal', episode.goal),
    ...(episode.configWarnings.length > 0 ? [section('Without effect', episode.configWarnings.map((words) => `- ${words}`).join('\n'))] : []),
    ...(episode.reworked ? [section('Your words at the last rework', episode.reworked.words)] : []),
    ...(episode.messages.length > 0 ? [section(episode.messages.length === 1 ? 'Your message' : 'Your messages', episode.messages.map(({ words }) => words.trim()).join('\n\n'))] : []),
    ...(live && live.text.trim() !== '' ? [section('Just now', fenced(live.text))] : []),
    ...(candidate ? candidateSections(episode, candidate) : []),
  ];
  return maskSecrets(`${sections.join('\n\n')}\n`);
}

function candidateSections(episode: Episode, candidate: Candidate): string[] {
  const files = candidateFiles(candidate);
  return [
    section(`Proposed change: ${candidate.subject}`, candidate.report.trim() === '' ? 'No report.' : candidate.report.trim()),
    section(`${count(files.length, 'file')} ${linesWords(files)}`.trim(), files.map((file) => `- ${[file.path, ...changeWords(file), linesWords([file])].filter((part) => part !== '').join(' · ')}`).join('\n')),
    ...(candidate.flags.length > 0 ? [section('Look at this', candidate.flags.map((flag) => `- ${flagWords(flag)}`).join('\n'))] : []),
    ...(candidate.outside.length > 0 ? [section('Outside the folder', candidate.outside.map((file) => `- ${file.path}`).join('\n'))] : []),
    ...newestEvidence(episode, candidate).map((e) => section(`${e.constraint}: ${resultWords(e)}`, `\`${e.run}\`, ${duration(e.ms)}${e.tree === candidate.tree ? '' : ', merged with newer commits'}\n\n${e.output.trim() === '' ? 'It printed nothing.' : fenced(e.output)}`)),
  ];
}

function section(title: string, body: string): string {
  return `## ${title}\n\n${body}`;
}

function table(rows: readonly (readonly [string, string])[]): string {
  return rows.map(([name, value]) => `- ${name}: ${value}`).join('\n');
}

/** A fence longer than any in the text: what a command printed cannot end it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text.trimEnd()}\n${fence}`;
}
