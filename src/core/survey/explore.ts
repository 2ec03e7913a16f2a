import type { FolderPath } from '../ids.ts';
import { chainTo, isInside, parentFolder } from '../paths.ts';
import type { ListedEntry, Listing } from '../tools/formats.ts';
import { listingKey, type Conversation } from './conversation.ts';
import { FileTree } from './fileTree.ts';
import { folderKind, isOpaque, kindBelow } from './folderKinds.ts';

/** Listings in one survey. Each is cut at some size, so large repositories take many. */
const MOST_LISTINGS = 200;
const DEEPEST = 20;
/** With more folders beside each other than this, each is looked at less deeply. */
const MANY_SIBLINGS = 30;
const DEEPEST_OF_MANY = 3;

interface Explored {
  readonly tree: FileTree;
  /** Listings to ask for next; empty where the tree is as well known as it will be. */
  readonly wanted: readonly { readonly folder: FolderPath; readonly depth: number }[];
}

/**
 * The tree as far as it is known, and what to list next. A folder is asked for as a whole first; where the answer was
 * cut, its own entries are asked for, then each folder below it as a whole, and so on: a small repository takes one
 * listing, a large one as many as it has large folders.
 */
export function explore(conversation: Conversation, folder: FolderPath): Explored {
  const tree = new FileTree();
  for (const { folder: of, listing } of conversation.listings.values()) {
    tree.add(listing.entries);
    for (const whole of wholeFolders(of, listing)) tree.markWhole(whole);
  }
  const asked = (f: FolderPath, depth: number) => conversation.listings.get(listingKey(f, depth));
  const wanted: { folder: FolderPath; depth: number }[] = [];
  const want = (f: FolderPath, depth: number) => {
    if (!asked(f, depth)) wanted.push({ folder: f, depth });
  };
  // Manifests and lock files of the folders above tell how things are run.
  for (const above of chainTo(folder).slice(0, -1)) want(above, 1);
  const visit = (f: FolderPath, depth: number) => {
    const whole = asked(f, depth);
    if (!whole && tree.isWhole(f) && depth > 1) return;
    if (!whole) want(f, depth);
    else if (whole.listing.cut && depth > 1 && kindBelow(folder, f) === 'source') {
      const own = asked(f, 1);
      if (!own) want(f, 1);
      else {
        const below = tree.foldersIn(f).filter((child) => f === folder ? folderKind(child) !== 'hidden' && !isOpaque(folderKind(child)) : folderKind(child) === 'source');
        for (const child of below) visit(child, below.length > MANY_SIBLINGS ? DEEPEST_OF_MANY : DEEPEST);
      }
    }
  };
  visit(folder, DEEPEST);
  return { tree, wanted: wanted.slice(0, Math.max(0, MOST_LISTINGS - conversation.listings.size)) };
}

/**
 * The folders of which a listing names everything that lies directly in them. A listing that was cut goes folder by
 * folder, each followed by what is in it: only the folders around its last entry are not known to the end.
 */
function wholeFolders(of: FolderPath, { entries, closed, cut }: Listing): FolderPath[] {
  const folders = [of, ...entries.filter((e) => e.folder).map((e) => e.path as FolderPath)].filter((f) => !closed.includes(f));
  if (!cut) return folders;
  const last = entries.at(-1)?.path;
  return last === undefined || !goesFolderByFolder(entries) ? [] : folders.filter((f) => f !== last && !isInside(last as FolderPath, f));
}

function goesFolderByFolder(entries: readonly ListedEntry[]): boolean {
  return entries.every((entry, i) => {
    const before = entries[i - 1];
    const parent = parentFolder(entry.path as FolderPath);
    return before === undefined || isInside(before.path as FolderPath, parent);
  });
}
