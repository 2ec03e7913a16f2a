import type { FolderPath } from '../ids.ts';
import { chainTo } from '../paths.ts';
import { listingKey, type Conversation } from './conversation.ts';
import { FileTree } from './fileTree.ts';
import { folderKind, isOpaque, kindBelow } from './folderKinds.ts';

/** Listings in one survey. Each is cut at some size, so large repositories take many. */
const MOST_LISTINGS = 200;
const DEEPEST = 20;
/** With more folders beside each other than this, each is looked at less deeply. */
const MANY_SIBLINGS = 30;
const DEEPEST_OF_MANY = 3;

export interface Explored {
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
  for (const { folder: of, depth, listing } of conversation.listings.values()) {
    tree.add(listing.entries);
    if (listing.cut === null) for (const whole of [of, ...tree.foldersBelow(of)]) if (levelsBelow(of, whole) < depth) tree.markWhole(whole);
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
    if (!whole) want(f, depth);
    else if (whole.listing.cut !== null && depth > 1 && kindBelow(folder, f) === 'source') {
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

function levelsBelow(folder: FolderPath, below: FolderPath): number {
  if (folder === below) return 0;
  return below.split('/').length - (folder === '' ? 0 : folder.split('/').length);
}
