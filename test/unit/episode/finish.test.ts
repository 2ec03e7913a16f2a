import { describe, expect, it } from 'vitest';
import type { ChangedFile } from '../../../src/core/candidate/candidate.ts';
import { reviewFinish, type FinishReview } from '../../../src/core/episode/finishReview.ts';
import { filePath } from '../../../src/core/ids.ts';
import { FINISH_ALONE, ignoredAnswer, nestedAnswer, outsideAnswer } from '../../../src/core/prompt/hostMessages.ts';
import { call, finish, finished, hostSaid, next, OPENING, reply, result, reviewed, said, transcript } from '../../support/conversations.ts';

const outside = (path: string, from: string | null = null): ChangedFile => ({ path: filePath.parse(path), kind: from === null ? 'modified' : 'renamed', from: from === null ? null : filePath.parse(from), oldMode: '100644', newMode: '100644', oldBlob: null, newBlob: null, lines: null });
const review = (over: Partial<FinishReview> = {}): string | null => reviewFinish({ outside: [], ignored: [], nestedRepositories: [], insideSubmodules: [], includeOutside: false, reviewedBefore: false, ...over });
const IGNORED = [filePath.parse('packages/api/debug.log')];

describe('calling finish', () => {
  it('alone proposes the change', () => {
    expect(next(...OPENING, reply('Done.', [finish('f')]))).toEqual({ do: 'finish', call: finish('f') });
  });

  it('beside other calls is not done: their results come first', () => {
    const both = [...OPENING, reply('', [call('a'), finish('f')])];
    expect(next(...both)).toMatchObject({ do: 'run call', call: { id: 'a' } });
    expect(next(...both, result('a', 'failed'))).toEqual({ do: 'answer call', call: finish('f'), text: FINISH_ALONE });
    expect(next(...both, result('a', 'failed'), result('f', FINISH_ALONE))).toEqual({ do: 'ask model' });
  });

  it('before other calls is not done, and they are run', () => {
    const both = [...OPENING, reply('', [finish('f'), call('a')])];
    expect(next(...both)).toMatchObject({ do: 'answer call', call: { id: 'f' } });
    expect(next(...both, result('f', FINISH_ALONE))).toMatchObject({ do: 'run call', call: { id: 'a' } });
    expect(FINISH_ALONE).not.toMatch(/not executed/);
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
    expect(text).toBe(outsideAnswer([filePath.parse('README.md'), filePath.parse('web/b.ts'), filePath.parse('packages/api/b.ts')]));
    expect(text).toMatch(/README\.md\n.*web\/b\.ts\n.*packages\/api\/b\.ts\n[^]*Revert them.*include_outside true/);
  });

  it('stands when the agent asks the person to allow it', () => {
    expect(review({ outside: [outside('README.md')], includeOutside: true })).toBeNull();
  });

  it('is named: files that an ignore rule hides, with the way to include them', () => {
    expect(review({ ignored: IGNORED })).toBe(ignoredAnswer(IGNORED));
    expect(review({ ignored: IGNORED })).toMatch(/debug\.log\n.*force true/);
    expect(review({ ignored: IGNORED, includeOutside: true })).not.toBeNull();
  });

  it('is named all at once', () => {
    const text = review({ outside: [outside('README.md')], ignored: IGNORED, nestedRepositories: ['packages/api/vendor'], insideSubmodules: ['lib/new.c'] });
    for (const part of ['README.md', 'debug.log', 'packages/api/vendor', 'lib/new.c']) expect(text).toContain(part);
  });

  it('is named once: the next finish stands', () => {
    expect(review({ outside: [outside('README.md')], ignored: IGNORED, insideSubmodules: ['lib/new.c'], reviewedBefore: true })).toBeNull();
  });

  it('but a nested repository stands in the way each time', () => {
    expect(review({ nestedRepositories: ['packages/api/vendor'], reviewedBefore: true, includeOutside: true })).toBe(nestedAnswer(['packages/api/vendor']));
  });

  it('is listed up to fifty, the rest counted', () => {
    const text = review({ outside: Array.from({ length: 73 }, (_, i) => outside(`web/${String(i)}.ts`)) });
    expect(text?.split('\n').filter((l) => l.includes('web/'))).toHaveLength(50);
    expect(text).toContain('and 23 more');
  });
});

describe('a finish that was answered', () => {
  const asked = [...OPENING, reply('', [finish('f')])];

  it('with what it would leave out counts as reviewed: the next one stands', () => {
    expect(transcript(...asked, reviewed('f')).finishReviewed).toBe(true);
    expect(next(...asked, reviewed('f'))).toEqual({ do: 'ask model' });
    expect(next(...asked, reviewed('f'), reply('', [finish('g')]))).toEqual({ do: 'finish', call: finish('g') });
  });

  it.each([
    ['invalid arguments', [...asked, result('f', 'finish: "report" is missing.')]],
    ['other calls beside it', [...OPENING, reply('', [call('a'), finish('f')]), result('a', 'x'), result('f', FINISH_ALONE)]],
    ['an interruption', [...asked, result('f', 'The work was interrupted.')]],
  ])('because of %s does not: nothing was named yet, so nothing may be left out silently', (_words, entries) => {
    expect(transcript(...entries).finishReviewed).toBe(false);
  });

  it('stays reviewed while the agent goes on by itself', () => {
    expect(transcript(...asked, reviewed('f'), reply('', [call('a')]), result('a', 'x'), reply('Hm.'), hostSaid('Go on.')).finishReviewed).toBe(true);
  });

  it('is reviewed anew after a rework', () => {
    expect(transcript(...asked, reviewed('f'), reply('', [finish('g')]), finished('g', 1)).finishReviewed).toBe(false);
    expect(transcript(...asked, reviewed('f'), said('The person says: go on.')).finishReviewed).toBe(false);
  });
});
