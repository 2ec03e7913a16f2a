import { describe, expect, it } from 'vitest';
import type { ChangedFile } from '../../../src/core/candidate/candidate.ts';
import { isFinishReview, reviewFinish, type FinishReview } from '../../../src/core/episode/finishReview.ts';
import { filePath } from '../../../src/core/ids.ts';
import { ROOT } from '../../../src/core/paths.ts';
import { call, finish, finished, next, OPENING, reply, result, said, transcript } from '../../support/conversations.ts';
import { API } from '../../support/facts.ts';

const outside = (path: string, from: string | null = null): ChangedFile => ({ path: filePath.parse(path), kind: from === null ? 'modified' : 'renamed', from: from === null ? null : filePath.parse(from), oldMode: '100644', newMode: '100644', oldBlob: null, newBlob: null, lines: null });
const review = (over: Partial<FinishReview> = {}): string | null => reviewFinish({ folder: API, outside: [], ignored: [], nestedRepositories: [], includeOutside: false, reviewedBefore: false, ...over });
const IGNORED = [filePath.parse('packages/api/debug.log')];

describe('calling finish', () => {
  it('alone proposes the change', () => {
    expect(next(...OPENING, reply('Done.', [finish('f')]))).toEqual({ do: 'finish', call: finish('f') });
  });

  it('beside other calls is not done: their results come first', () => {
    const both = [...OPENING, reply('', [call('a'), finish('f')])];
    expect(next(...both)).toMatchObject({ do: 'run call', call: { id: 'a' } });
    const step = next(...both, result('a', 'failed'));
    expect(step).toMatchObject({ do: 'answer call', call: { id: 'f' } });
    expect(step.do === 'answer call' && step.text).toMatch(/finish alone/);
    expect(next(...both, result('a', 'failed'), result('f', 'Not done'))).toEqual({ do: 'ask model' });
  });

  it('twice in one reply is not done either', () => {
    expect(next(...OPENING, reply('', [finish('f'), finish('g')]))).toMatchObject({ do: 'answer call', call: { id: 'f' } });
  });

  it('in a reply that was cut is not done', () => {
    expect(next(...OPENING, reply('', [finish('f')], 'cut'))).toMatchObject({ do: 'say' });
  });

  it('that stands lets the agent wait for the verdict', () => {
    const done = [...OPENING, reply('', [finish('f')]), finished('f', 1)];
    expect(next(...done)).toEqual({ do: 'wait' });
    expect(transcript(...done)).toMatchObject({ finished: 1, pending: [] });
    expect(transcript(...done).messages.at(-1)).toEqual({ role: 'tool', call: 'f', text: 'Your change was proposed as number 1. It waits for a verdict.' });
  });

  it('is followed, after a rework, by work and a finish of its own', () => {
    const reworked = [...OPENING, reply('', [finish('f')]), finished('f', 1), said('The person says: also cap the delay.')];
    expect(next(...reworked)).toEqual({ do: 'ask model' });
    expect(next(...reworked, reply('', [call('b')]))).toMatchObject({ do: 'run call' });
    expect(next(...reworked, reply('', [finish('g')]))).toEqual({ do: 'finish', call: finish('g') });
    expect(next(...reworked, reply('', [finish('g')]), finished('g', 2))).toEqual({ do: 'wait' });
  });
});

describe('what finish would leave out', () => {
  it('is nothing when all lies inside: it stands', () => {
    expect(review()).toBeNull();
  });

  it('is named: changes outside the folder, both sides of a rename, with what can be done', () => {
    const text = review({ outside: [outside('README.md'), outside('web/b.ts', 'packages/api/b.ts')] });
    expect(text).toMatch(/^Not finished yet\./);
    expect(text).toContain('(packages/api)');
    expect(text).toContain('\n  README.md\n  packages/api/b.ts -> web/b.ts');
    expect(text).toMatch(/Revert them, or call finish with include_outside/);
  });

  it('stands when the agent asks the person to allow it', () => {
    expect(review({ outside: [outside('README.md')], includeOutside: true })).toBeNull();
  });

  it('is named: files that an ignore rule hides, with the way to include them', () => {
    expect(review({ ignored: IGNORED })).toMatch(/ignore rule[^]*force[^]*\n {2}packages\/api\/debug\.log/);
    expect(review({ ignored: IGNORED, includeOutside: true })).not.toBeNull();
  });

  it('is named all at once', () => {
    const text = review({ outside: [outside('README.md')], ignored: IGNORED, nestedRepositories: ['packages/api/vendor'] });
    for (const part of ['README.md', 'debug.log', 'packages/api/vendor']) expect(text).toContain(part);
  });

  it('is named once: the next finish stands', () => {
    expect(review({ outside: [outside('README.md')], ignored: IGNORED, reviewedBefore: true })).toBeNull();
  });

  it('but a nested repository stands in the way each time', () => {
    expect(review({ nestedRepositories: ['packages/api/vendor'], reviewedBefore: true, includeOutside: true })).toMatch(/remove its \.git[^]*vendor/);
  });

  it('is listed up to fifty, the rest counted', () => {
    const text = review({ outside: Array.from({ length: 73 }, (_, i) => outside(`web/${String(i)}.ts`)) });
    expect(text?.split('\n').filter((l) => l.startsWith('  web/'))).toHaveLength(50);
    expect(text).toContain('  and 23 more');
  });

  it('names the root as a folder with a name', () => {
    expect(review({ folder: ROOT, outside: [outside('x')] })).toContain('(/)');
  });
});

describe('a finish that was answered', () => {
  const asked = [...OPENING, reply('', [finish('f')])];
  const named = review({ outside: [outside('README.md')] }) ?? '';

  it('with what it would leave out counts as reviewed', () => {
    expect(isFinishReview(named)).toBe(true);
    expect(transcript(...asked, result('f', named)).finishReviewed).toBe(true);
    expect(next(...asked, result('f', named))).toEqual({ do: 'ask model' });
  });

  it.each([
    ['invalid arguments', [...asked, result('f', 'finish: "report" is missing.')]],
    ['other calls beside it', [...OPENING, reply('', [call('a'), finish('f')]), result('a', 'x'), result('f', 'Not done: finish was called together with other calls.')]],
    ['an interruption', [...asked, result('f', 'Interrupted')]],
  ])('because of %s does not: nothing was named yet, so nothing may be left out silently', (_words, entries) => {
    expect(transcript(...entries).finishReviewed).toBe(false);
  });

  it('is not taken from another tool that prints the same', () => {
    expect(transcript(...OPENING, reply('', [call('a')]), result('a', named)).finishReviewed).toBe(false);
  });

  it('is reviewed anew after a rework, but not after a nudge', () => {
    const reviewed = [...asked, result('f', named)];
    const nudge = next(...reviewed, reply('Hm.'));
    expect(transcript(...reviewed, reply('Hm.'), said(nudge.do === 'say' ? nudge.text : '')).finishReviewed).toBe(true);
    expect(transcript(...reviewed, reply('', [finish('g')]), finished('g', 1)).finishReviewed).toBe(false);
    expect(transcript(...reviewed, said('The person says: go on.')).finishReviewed).toBe(false);
  });
});
