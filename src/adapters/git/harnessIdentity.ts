/** Who makes commits that are ours, not the person's: needs no config, and its address takes no mail (RFC 2606). */
export const HARNESS_IDENTITY = {
  GIT_AUTHOR_NAME: 'Worldtree',
  GIT_AUTHOR_EMAIL: 'noreply@worldtree.invalid',
  GIT_COMMITTER_NAME: 'Worldtree',
  GIT_COMMITTER_EMAIL: 'noreply@worldtree.invalid',
} as const;
