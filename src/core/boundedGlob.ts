/** What one glob may make a matcher try: two more stars in a name, one of them and three `**`, or five `**`. */
const MOST_WORK = 5;
/** Groups of alternatives, each of which multiplies the rest. */
const MOST_GROUPS = 3;
const MOST_ALTERNATIVES = 50;

export const BOUNDED_GLOB_WORDS = 'a glob with few stars: at most 3 in one name, 5 "**", 3 groups of alternatives, and no other patterns with ( )';

/**
 * Whether a glob is matched in bounded time, whatever the path. A matcher goes back and tries again wherever a path can
 * be taken in several ways: a name with several stars, by its length for each one after the first; a `**`, by the depth of
 * the path; and all of these multiply. A name with a single star can be taken in one way only.
 */
export function isBoundedGlob(glob: string): boolean {
  if (/[?*+!]\(/.test(glob)) return false;
  if ((glob.match(/[{(]/g) ?? []).length > MOST_GROUPS || (glob.match(/[,|]/g) ?? []).length > MOST_ALTERNATIVES) return false;
  const deep = (glob.match(/\*\*/g) ?? []).length;
  const further = glob.split('/').filter((name) => name !== '**').reduce((sum, name) => sum + Math.max(0, (name.match(/\*+/g) ?? []).length - 1), 0);
  return 2 * further + deep <= MOST_WORK;
}
