/** The harness's own identity, for commits that no person made: it needs no config and guesses nothing. */
export const HARNESS_IDENTITY: Readonly<Record<string, string>> = {
  GIT_AUTHOR_NAME: 'Worldtree',
  GIT_AUTHOR_EMAIL: 'worldtree@localhost',
  GIT_COMMITTER_NAME: 'Worldtree',
  GIT_COMMITTER_EMAIL: 'worldtree@localhost',
};
