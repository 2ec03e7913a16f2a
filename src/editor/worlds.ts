import type * as vscode from 'vscode';
import type { AbsolutePath, EpisodeId, FolderPath } from '../core/ids.ts';
import type { Refusal } from '../core/refusal.ts';
import type { Episode } from '../core/world/state.ts';
import type { OpenWorld, Result } from '../runtime/openWorld.ts';

/** The repositories that are open in this window. The set is made in extension.ts; everything here only reads it. */
export interface Worlds {
  /** The world of the innermost repository that holds a folder, opened if need be, and the folder's path in it. */
  forFolder(folder: vscode.Uri): Promise<Result<PlacedFolder>>;
  all(): readonly OpenWorld[];
  /** Why folders of the workspace have no world. */
  refusals(): readonly { readonly folder: vscode.Uri; readonly refusal: Refusal }[];
  /** False until the workspace's folders have been looked at for the first time. */
  readonly ready: boolean;
  /** The set, the refusals or `ready` changed. What happens inside a world is told by the world. */
  readonly onDidChange: vscode.Event<void>;
}

export interface PlacedFolder {
  readonly world: OpenWorld;
  readonly folder: FolderPath;
  /** Which checkout of the repository it is in: of several, each has a branch of its own. */
  readonly checkout: AbsolutePath;
}

/** An agent with the world it lives in: what commands are about. */
export interface Agent {
  readonly world: OpenWorld;
  readonly id: EpisodeId;
}

/** A world's name in ids and addresses. Ids of episodes alone do not do: two copies of a repository share their ledger's tag. */
export function worldKey(world: OpenWorld): string {
  return world.repository.commonDir;
}

export function worldOf(worlds: Worlds, key: string): OpenWorld | undefined {
  return worlds.all().find((world) => worldKey(world) === key);
}

export function episodeOf({ world, id }: Agent): Episode | undefined {
  return world.state().episodes.get(id);
}

/** Every episode of every world, with its world. */
export function allAgents(worlds: Worlds): { readonly agent: Agent; readonly episode: Episode }[] {
  return worlds.all().flatMap((world) => [...world.state().episodes.values()].map((episode) => ({ agent: { world, id: episode.id }, episode })));
}

/** Calls back when the set of worlds or anything in one of them changed. */
export function onAnyChange(worlds: Worlds, listener: () => void): { dispose(): void } {
  let inside: { dispose(): void }[] = [];
  const listen = () => {
    for (const subscription of inside) subscription.dispose();
    inside = worlds.all().map((world) => world.onChange(listener));
  };
  listen();
  const set = worlds.onDidChange(() => {
    listen();
    listener();
  });
  return { dispose: () => { for (const subscription of [set, ...inside]) subscription.dispose(); } };
}
