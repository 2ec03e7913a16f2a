import * as vscode from 'vscode';
import type { CommitId, EpisodeId, FilePath } from '../../core/ids.ts';
import { worldKey, type Agent } from '../worlds.ts';

/** Left side: a file at a commit; never changes and cannot be written. */
export const BASE_SCHEME = 'worldtree-base';
/** Right side: a file of a proposed change, writable while it waits. */
export const CHANGE_SCHEME = 'worldtree-change';

export type BaseContent =
  | { readonly kind: 'file'; readonly commit: CommitId }
  /** The side on which a file does not exist. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'submodule'; readonly commit: string };

interface BaseAddress {
  readonly repository: string;
  readonly content: BaseContent;
}

/**
 * The candidate's number is the one that was opened: edits that the person saves make newer ones, and the address of
 * an open editor must not change under it. See `shownCandidate`.
 */
interface ChangeAddress {
  readonly repository: string;
  readonly episode: EpisodeId;
  readonly candidate: number;
}

/** Both sides have the same repository-relative path, so that nothing draws a rename where there is none. */
export function baseUri({ world }: Pick<Agent, 'world'>, path: FilePath, content: BaseContent): vscode.Uri {
  const address: BaseAddress = { repository: worldKey(world), content };
  return vscode.Uri.from({ scheme: BASE_SCHEME, path: `/${path}`, query: JSON.stringify(address) });
}

export function changeUri({ world, id }: Agent, candidate: number, path: FilePath): vscode.Uri {
  const address: ChangeAddress = { repository: worldKey(world), episode: id, candidate };
  return vscode.Uri.from({ scheme: CHANGE_SCHEME, path: `/${path}`, query: JSON.stringify(address) });
}

/** Undefined for an address of another scheme, or one that an older version wrote differently. */
export function parseBase(uri: vscode.Uri): BaseAddress | undefined {
  const query = uri.scheme === BASE_SCHEME ? parseQuery(uri) : undefined;
  return query !== undefined && 'content' in query ? (query as unknown as BaseAddress) : undefined;
}

export function parseChange(uri: vscode.Uri): ChangeAddress | undefined {
  const query = uri.scheme === CHANGE_SCHEME ? parseQuery(uri) : undefined;
  return query !== undefined && typeof query['episode'] === 'string' && typeof query['candidate'] === 'number' ? (query as unknown as ChangeAddress) : undefined;
}

export function pathOf(uri: vscode.Uri): FilePath {
  return uri.path.replace(/^\//, '') as FilePath;
}

function parseQuery(uri: vscode.Uri): Record<string, unknown> | undefined {
  try {
    const query: unknown = JSON.parse(uri.query);
    return typeof query === 'object' && query !== null && 'repository' in query && typeof query.repository === 'string' ? { ...query } : undefined;
  } catch {
    return undefined;
  }
}
