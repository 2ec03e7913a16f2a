import { fileIn } from '../paths.ts';
import { firstSentence } from './api/apiItem.ts';
import { goSurface } from './api/goSurface.ts';
import { jsSurface } from './api/jsSurface.ts';
import { pythonSurface } from './api/pythonSurface.ts';
import { rustSurface } from './api/rustSurface.ts';
import { isEmpty, type Place, type Surface } from './api/surface.ts';
import { cutAtSentence, parseReadme } from './readme.ts';
import { readmeOf, unitFacts } from './unitFacts.ts';

/** What a folder is for, in the words of its own readme, manifest or code; null where none of them says. */
export function purposeOf(place: Place): string | null {
  const readme = readmeOf(place)?.intent ?? null;
  const { description } = unitFacts(place);
  const said = readme ?? description ?? docOf(place);
  return said === null ? null : sentence(said);
}

/** The same in one line, for a routing table: the manifest's line first, since it was written to be one. */
export function purposeLine(place: Place): string | null {
  const page = pagePurpose(place);
  if (page !== null) return firstSentence(page, 160);
  const { description } = unitFacts(place);
  if (description !== null) return firstSentence(description, 160);
  const readme = readmeOf(place)?.intent ?? null;
  return readme === null ? docOf(place) : firstSentence(readme, 160);
}

/** The surfaces of a folder, of every language that has one there. */
export function surfacesOf(place: Place): Surface[] {
  return place.reading.memo(`surfaces ${place.folder}`, () => [jsSurface(place), rustSurface(place), pythonSurface(place), goSurface(place)].filter((s) => s !== null).filter((s) => !isEmpty(s)));
}

/** What a page that people wrote says. */
function pagePurpose({ folder, tree, reading }: Place): string | null {
  const path = tree.named(folder, 'CONTEXT.md');
  const text = path === null ? null : reading.head(fileIn(folder, path.slice(path.lastIndexOf('/') + 1)), 60);
  return text === null ? null : parseReadme(text).intent;
}

function docOf(place: Place): string | null {
  return surfacesOf(place).find((s) => s.doc !== null)?.doc ?? null;
}

function sentence(text: string): string {
  const cut = cutAtSentence(text.replace(/\s+/g, ' ').trim(), 420);
  return /[.!?…]$/.test(cut) ? cut : `${cut}.`;
}
