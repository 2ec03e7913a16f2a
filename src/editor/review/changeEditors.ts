import * as vscode from 'vscode';
import type { Candidate, ChangedFile } from '../../core/candidate/candidate.ts';
import { displayFolder } from '../../core/paths.ts';
import { agentName } from '../../core/projections/episodeWords.ts';
import { changeWords, isSymlink, SUBMODULE_MODE } from '../../core/projections/fileRows.ts';
import { oneLine } from '../../core/projections/amounts.ts';
import { lookedCandidate } from '../../core/projections/reviewRows.ts';
import type { Episode } from '../../core/world/state.ts';
import type { Agent } from '../worlds.ts';
import { baseUri, changeUri, type BaseContent } from './changeAddress.ts';

/** What VS Code's diff editors are given for one file; a side on which the file does not exist is undefined. */
interface FileSides {
  readonly left: vscode.Uri | undefined;
  readonly right: vscode.Uri | undefined;
}

/** Title of a change's multi-file editor; its tab is found again by it. */
export function changeTitle(episode: Episode, candidate: Candidate): string {
  return `${agentName(episode)}: ${oneLine(candidate.subject, 80)}`;
}

/** Opens all files of a change in the multi-file diff editor: against its base, or against what was looked at last. */
export async function openAllChanges(agent: Agent, episode: Episode, candidate: Candidate, since: 'base' | 'looked'): Promise<'opened' | 'nothing to show'> {
  const looked = since === 'looked' ? lookedCandidate(episode) : undefined;
  const from = looked?.commit ?? candidate.base;
  const files = looked ? await changedSince(agent, looked, candidate) : [...candidate.inside, ...candidate.companions];
  if (files.length === 0) return 'nothing to show';
  const texts = files.filter((file) => !isBinary(file));
  const [first] = files;
  if (texts.length === 0 && first) {
    // The multi-file editor leaves out what is not text: pictures and the like open on their own.
    await openFileChange(agent, episode, candidate, first);
    return 'opened';
  }
  const resources = texts.map((file) => {
    const { left, right } = sidesOf(agent, candidate, file, from);
    return [right ?? left, left, right];
  });
  const title = changeTitle(episode, candidate);
  await vscode.commands.executeCommand('vscode.changes', looked ? `${title} (since you looked)` : title, resources);
  return 'opened';
}

/** Opens one file of a change in the ordinary diff editor. */
export async function openFileChange(agent: Agent, episode: Episode, candidate: Candidate, file: ChangedFile): Promise<void> {
  const { left, right } = sidesOf(agent, candidate, file, candidate.base);
  const words = changeWords(file);
  const title = `${file.path.slice(file.path.lastIndexOf('/') + 1)} (${[agentName(episode), ...words].join(', ')})`;
  const single = left === undefined ? right : right === undefined ? left : undefined;
  if (single && isBinary(file)) {
    await vscode.commands.executeCommand('vscode.open', single, { preview: true }, title);
    return;
  }
  const nothing = () => baseUri(agent, file.path, { kind: 'nothing' });
  await vscode.commands.executeCommand('vscode.diff', left ?? nothing(), right ?? nothing(), title, { preview: true });
}

/** Opens an outside change: it is in no candidate yet, so both sides are fixed. */
export async function openOutsideChange(agent: Agent, episode: Episode, candidate: Candidate, file: ChangedFile): Promise<void> {
  const side = (path: ChangedFile['path'], mode: string | null, content: BaseContent) => baseUri(agent, path, mode === null ? { kind: 'nothing' } : content);
  const left = side(file.from ?? file.path, file.oldMode, contentAt(file.oldMode, file.oldBlob, candidate.base));
  const right = side(file.path, candidate.outsideCommit === null ? null : file.newMode, contentAt(file.newMode, file.newBlob, candidate.outsideCommit ?? candidate.base));
  await vscode.commands.executeCommand('vscode.diff', left, right, `${file.path} (${agentName(episode)}, outside ${displayFolder(episode.world.path)})`, { preview: true });
}

function sidesOf(agent: Agent, candidate: Candidate, file: ChangedFile, from: Candidate['base']): FileSides {
  const left = file.oldMode === null ? undefined : baseUri(agent, file.from ?? file.path, contentAt(file.oldMode, file.oldBlob, from));
  const right = file.newMode === null ? undefined : changeUri(agent, candidate.number, file.path);
  return { left, right };
}

function contentAt(mode: string | null, blob: string | null, commit: Candidate['base']): BaseContent {
  return mode === SUBMODULE_MODE ? { kind: 'submodule', commit: blob ?? '' } : { kind: 'file', commit };
}

/** Where the base is another (the change was carried onto a newer tip), what the branch brought is not the agent's doing. */
async function changedSince(agent: Agent, looked: Candidate, candidate: Candidate): Promise<readonly ChangedFile[]> {
  const files = await agent.world.repository.diff(looked.commit, candidate.commit);
  if (looked.base === candidate.base) return files;
  const ours = new Set([looked, candidate].flatMap((c) => [...c.inside, ...c.companions]).map((f) => f.path));
  return files.filter((file) => ours.has(file.path));
}

function isBinary(file: ChangedFile): boolean {
  return file.lines === null && !isSymlink(file) && file.kind !== 'mode' && file.oldMode !== SUBMODULE_MODE && file.newMode !== SUBMODULE_MODE;
}
