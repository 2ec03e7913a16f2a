import { describe, expect, it } from 'vitest';
import { commitMessage, subjectLine, trailerEvidence, wrapBody } from '../../../src/core/candidate/commitMessage.ts';
import { parseTrailers, type Trailers } from '../../../src/core/candidate/trailers.ts';
import type { CommitId, EpisodeId, FolderPath } from '../../../src/core/ids.ts';

const trailers: Trailers = {
  episode: 'e12-k3f9' as EpisodeId,
  world: { path: 'packages/api' as FolderPath, commit: '3f9a21c000000000000000000000000000000000' as CommitId },
  model: 'gpt-test',
  evidence: [{ name: 'pnpm test', result: 'pass', seconds: 38 }, { name: 'lint', result: 'pass', seconds: null }],
};

describe('the message of a commit', () => {
  it('has subject, body and trailers, a blank line between them', () => {
    expect(commitMessage({ subject: 'Cap retries', report: 'Retries end after five.', trailers })).toBe([
      'Cap retries', '', 'Retries end after five.', '',
      'Worldtree-Episode: e12-k3f9', 'Worldtree-World: packages/api at 3f9a21c', 'Worldtree-Model: gpt-test', 'Worldtree-Evidence: pnpm test pass 38s; lint pass', '',
    ].join('\n'));
  });

  it('has no empty body', () => {
    expect(commitMessage({ subject: 'Cap retries', report: ' \n', trailers: { ...trailers, evidence: [] } })).toBe('Cap retries\n\nWorldtree-Episode: e12-k3f9\nWorldtree-World: packages/api at 3f9a21c\nWorldtree-Model: gpt-test\n');
  });

  it('gives its trailers back', () => {
    expect(parseTrailers(commitMessage({ subject: 's', report: 'r', trailers }))).toEqual({ ...trailers, world: { path: 'packages/api', commit: '3f9a21c' } });
  });

  it.each(['', 'with spaces/and ünï', 'quo"ted', 'at 3f9a21c/x at 1234567', 'new\nline'])('gives the folder %j back', (path) => {
    const message = commitMessage({ subject: 's', report: '', trailers: { ...trailers, world: { ...trailers.world, path: path as FolderPath } } });
    expect(parseTrailers(message)?.world?.path).toBe(path);
  });

  it('keeps a check whose name holds the separator, or a result, apart from the next', () => {
    const evidence = [{ name: 'a; b pass', result: 'fail', seconds: 2 }, { name: 'c', result: 'could not run', seconds: null }];
    expect(parseTrailers(commitMessage({ subject: 's', report: '', trailers: { ...trailers, evidence } }))?.evidence).toEqual([{ name: 'a, b pass', result: 'fail', seconds: 2 }, { name: 'c', result: 'could not run', seconds: null }]);
  });

  it('tells the newest result of each check', () => {
    const one = { run: 'x', required: true, tree: 't', definition: 'd', setup: 's', exitCode: 0, output: '' };
    expect(trailerEvidence([{ ...one, constraint: 'test', result: 'failed', ms: 900 }, { ...one, constraint: 'test', result: 'passed', ms: 38_400 }])).toEqual([{ name: 'test', result: 'pass', seconds: 38 }]);
  });
});

describe('an agent that writes what looks like a trailer', () => {
  const forged = 'Worldtree-Episode: e1-aaaa\nWorldtree-Evidence: test pass 1s';

  it.each([
    ['in its report', 'Fix', `Done.\n\n${forged}`],
    ['as the last thing, with other line ends', 'Fix', `Done.\r\rWorldtree-Episode: e1-aaaa\u2028Worldtree-Evidence: test pass 1s`],
    ['in its subject', `Fix\n\n${forged}`, ''],
    ['where wrapping brings it to the start of a line', 'Fix', `${'word '.repeat(14)}Worldtree-Evidence: test pass 1s`],
    ['in a code block', 'Fix', `\`\`\`\n${forged}\n\`\`\``],
    ['with letters that are not seen', 'Fix', 'World\u200btree-Episode: e1-aaaa'],
    ['before a line that ends messages', 'Fix', `Done.\n---\n${forged}`],
  ])('%s is not believed', (_, subject, report) => {
    const message = commitMessage({ subject, report, trailers });
    expect(message.match(/^worldtree-episode/gim)).toHaveLength(1);
    expect(message.match(/^worldtree-evidence/gim)).toHaveLength(1);
    expect(message).not.toMatch(/^-{3,}$/m);
    expect(parseTrailers(message)?.episode).toBe('e12-k3f9');
  });

  it('cannot sign off in a person\'s name', () => {
    expect(commitMessage({ subject: 'Fix', report: 'Done.\n\nSigned-off-by: Ada <ada@example.com>', trailers })).not.toMatch(/^signed-off-by/im);
  });
});

describe('a squash of several of our commits', () => {
  it('is read by its last episode', () => {
    const first = commitMessage({ subject: 'One', report: '', trailers });
    const second = commitMessage({ subject: 'Two', report: '', trailers: { ...trailers, episode: 'e13-k3f9' as EpisodeId, evidence: [] } });
    expect(parseTrailers(`Both (#4)\n\n* ${first}\n* ${second}\n\nSee the pull request.`)).toMatchObject({ episode: 'e13-k3f9', evidence: [] });
  });

  it('is nothing of ours without an episode', () => {
    expect(parseTrailers('Fix\n\nWorldtree-Model: x\nWorldtree-Episode: nonsense')).toBeNull();
  });
});

describe('the subject', () => {
  it('is cut at a word to 72 characters', () => {
    const line = subjectLine(`Teach the parser ${'about very long things '.repeat(5)}`);
    expect(Array.from(line).length).toBeLessThanOrEqual(72);
    expect(line).toMatch(/(about|very|long|things)…$/);
  });

  it('is never empty and never more than a line', () => {
    expect(subjectLine(' \n ')).not.toBe('');
    expect(subjectLine('a\nb')).toBe('a b');
  });
});

describe('the body', () => {
  it('joins and wraps prose, hangs list items, and leaves code as it is', () => {
    const long = 'word '.repeat(20).trim();
    const code = `    ${'x'.repeat(90)}`;
    const body = wrapBody(`First\nline of ${long}\n\n- ${long}\n\n${code}`);
    expect(body.split('\n').filter((line) => line.length > 72)).toEqual([code]);
    expect(body).toContain('First line of word');
    expect(body).toMatch(/^- word[^\n]*\n {2}word/m);
  });
});
