import { mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CONFIG_WORDS, GIT_OPTIONS_WITH_VALUE, insteadOf, READ_ONLY_FORMS, READ_ONLY_GIT } from '../../core/runPermission/gitCommands.ts';
import { shellWord } from '../commands/shellWord.ts';
import { temporaryPrefix } from '../temporaryFolders.ts';
import { findProgram } from './findProgram.ts';

/**
 * A folder with a `git` of its own, to stand first on a command's path. It refuses what would change the project's
 * repository, from wherever and by whatever option it is reached: branches, stash, config and the index of
 * the person's checkout are all in one git folder. Any other repository, one that a test makes for itself, is left to
 * the real git. It guards against an honest mistake, not against a program that looks for git by itself: that takes
 * a sandbox. Null where there is no git, or no shell for it.
 */
export function makeGitGuard(checkout: string, searchPath: string): string | null {
  if (process.platform === 'win32') return null;
  const real = findProgram('git', searchPath);
  if (real === null) return null;
  const folder = mkdtempSync(temporaryPrefix('git'));
  writeFileSync(path.join(folder, 'git'), guardScript(real, checkout), { mode: 0o755 });
  return folder;
}

function guardScript(real: string, checkout: string): string {
  const forms = Object.entries(READ_ONLY_FORMS).flatMap(([name, words]) => words.map((word) => `'${name} ${word}'`));
  return `#!/bin/sh
real=${shellWord(real)}
sub= next= skip= seen=
for a in "$@"; do
  if [ -n "$seen" ]; then next=$a; break; fi
  if [ -n "$skip" ]; then skip=; continue; fi
  case $a in
    ${GIT_OPTIONS_WITH_VALUE.join('|')}) skip=1 ;;
    -*) ;;
    *) sub=$a seen=1 ;;
  esac
done
case $sub in
  ''|${READ_ONLY_GIT.join('|')}) exec "$real" "$@" ;;
esac
case "$sub $next" in
  ${forms.join('|')}) exec "$real" "$@" ;;
esac
if [ "$sub" = config ]; then
  names=0 reads= writes= skip= seen=
  for a in "$@"; do
    if [ -z "$seen" ]; then [ "$a" = config ] && seen=1; continue; fi
    if [ -n "$skip" ]; then skip=; continue; fi
    case $a in
      ${CONFIG_WORDS.reads.join('|')}) reads=1 ;;
      ${CONFIG_WORDS.writes.join('|')}) writes=1 ;;
      ${CONFIG_WORDS.valued.join('|')}) skip=1 ;;
      -*) ;;
      *) names=$((names + 1)) ;;
    esac
  done
  if [ -z "$writes" ]; then
    if [ -n "$reads" ] || [ "$names" = 1 ]; then exec "$real" "$@"; fi
  fi
fi
ask() {
  # The same options, in front of another subcommand: they decide which repository it is.
  for a in "$@"; do
    shift
    [ "$a" = "$sub" ] && [ -z "$done" ] && done=1
    [ -n "$done" ] || set -- "$@" "$a"
  done
  "$real" "$@" rev-parse --path-format=absolute --git-common-dir 2>/dev/null
}
done=
here=$(ask "$@")
if [ "$sub" = init ]; then
  # What counts is the folder that becomes a repository; the project's own would take hooks from a template.
  target= skip= seen=
  for a in "$@"; do
    if [ -n "$skip" ]; then skip=; continue; fi
    case $a in
      -b|--initial-branch|--template|--separate-git-dir|--object-format|--ref-format|${GIT_OPTIONS_WITH_VALUE.join('|')}) skip=1 ;;
      -*) ;;
      *) if [ -n "$seen" ]; then target=$a; else seen=1; fi ;;
    esac
  done
  if [ -n "$target" ]; then
    here=$(cd "$target" 2>/dev/null && "$real" rev-parse --path-format=absolute --git-common-dir 2>/dev/null)
    [ -n "$here" ] || here=none
  fi
fi
project=$(unset GIT_DIR GIT_WORK_TREE GIT_COMMON_DIR GIT_CEILING_DIRECTORIES; "$real" -C ${shellWord(checkout)} rev-parse --path-format=absolute --git-common-dir 2>/dev/null)
# The person's own settings belong to no repository.
case "$sub $*" in "config "*--global*|"config "*--system*) here=$project ;; esac
if [ -n "$here" ] && [ "$here" != "$project" ]; then exec "$real" "$@"; fi
case $sub in
${adviceCases()}
esac
echo "git $sub was not run: $words" >&2
exit 128
`;
}

function adviceCases(): string {
  const subcommands = ['add', 'commit', 'rm', 'mv', 'checkout', 'restore', 'switch', 'reset', 'clean', 'stash', 'push', 'pull', 'fetch', 'merge', 'rebase', 'cherry-pick', 'revert', 'am', 'apply'];
  const cases = subcommands.map((name) => `  ${name}) words=${shellWord(insteadOf(name))} ;;`);
  return [...cases, `  *) words=${shellWord(insteadOf(''))} ;;`].join('\n');
}
