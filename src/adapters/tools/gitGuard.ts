import { mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CONFIG_WORDS, GIT_OPTIONS_WITH_VALUE, insteadOf, READ_ONLY_FORMS, READ_ONLY_GIT, WRITING_OPTIONS } from '../../core/runPermission/gitCommands.ts';
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
  return `#!/bin/sh
real=${shellWord(real)}
sub= skip= at=0
for a in "$@"; do
  at=$((at + 1))
  if [ -n "$skip" ]; then skip=; continue; fi
  case $a in
    ${GIT_OPTIONS_WITH_VALUE.join('|')}) skip=1 ;;
    -*) ;;
    *) sub=$a; break ;;
  esac
done
writes() {
  shift "$at"
  for a in "$@"; do
    case $a in
      --?*) for option in ${WRITING_OPTIONS.join(' ')}; do case $option in "\${a%%=*}"*) return 0 ;; esac; done ;;
      -*O*) [ "$sub" != grep ] || return 0 ;;
    esac
  done
  return 1
}
reads_form() {
  shift "$at"
  case "$sub $1" in
${READ_ONLY_FORMS.map(({ subcommand, first }, i) => `    ${patterns(first, `${subcommand} `)}) form=${i} ;;`).join('\n')}
    *) return 1 ;;
  esac
  [ $# = 0 ] || shift
  for a in "$@"; do
    case "$form $a" in
${READ_ONLY_FORMS.map(formCases).join('')}      *) return 1 ;;
    esac
  done
}
reads_config() {
  shift "$at"
  names=0 reads= skip=
  case $1 in
    ${patterns(CONFIG_WORDS.firstReads)}) reads=1; shift ;;
    -*|*.*) ;;
    *) return 1 ;;
  esac
  for a in "$@"; do
    if [ -n "$skip" ]; then skip=; continue; fi
    case $a in
      ${patterns(CONFIG_WORDS.reads)}) reads=1 ;;
      ${patterns(CONFIG_WORDS.valued)}) skip=1 ;;
      ${patterns(CONFIG_WORDS.options)}) ;;
      -*) return 1 ;;
      *.*) names=$((names + 1)) ;;
      *) names=$((names + 2)) ;;
    esac
  done
  [ -n "$reads" ] || [ "$names" = 1 ]
}
case $sub in
  '') exec "$real" "$@" ;;
  ${READ_ONLY_GIT.join('|')}) if ! writes "$@"; then exec "$real" "$@"; fi ;;
  config) if reads_config "$@"; then exec "$real" "$@"; fi ;;
  *) if reads_form "$@"; then exec "$real" "$@"; fi ;;
esac
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
# The person's own settings belong to no repository; git takes these options abbreviated.
case "$sub $*" in "config "*--gl*|"config "*--sy*) here=$project ;; esac
if [ -n "$here" ] && [ "$here" != "$project" ]; then exec "$real" "$@"; fi
case $sub in
${adviceCases()}
esac
echo "git $sub was not run: $words" >&2
exit 128
`;
}

/** Words as patterns of a shell's `case`; with anything after one that ends in `=`. */
function patterns(words: readonly string[], before = ''): string {
  return words.map((word) => `${shellWord(before + word)}${word.endsWith('=') ? '*' : ''}`).join('|');
}

function formCases({ options, names }: (typeof READ_ONLY_FORMS)[number], i: number): string {
  return [
    ...(options.length > 0 ? [`${patterns(options, `${i} `)}) ;;`] : []),
    ...(names ? [`'${i} -'*) return 1 ;;`, `'${i} '*) ;;`] : []),
  ].map((line) => `      ${line}\n`).join('');
}

function adviceCases(): string {
  const subcommands = ['add', 'commit', 'rm', 'mv', 'checkout', 'restore', 'switch', 'reset', 'clean', 'stash', 'push', 'pull', 'fetch', 'merge', 'rebase', 'cherry-pick', 'revert', 'am', 'apply'];
  const cases = subcommands.map((name) => `  ${name}) words=${shellWord(insteadOf(name))} ;;`);
  return [...cases, `  *) words=${shellWord(insteadOf(''))} ;;`].join('\n');
}
