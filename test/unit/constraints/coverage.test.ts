import { describe, expect, it } from 'vitest';
import type { Constraint } from '../../../src/core/constraints/constraint.ts';
import { constraintsFor } from '../../../src/core/constraints/coverage.ts';
import type { FilePath } from '../../../src/core/ids.ts';

const changed = (...paths: string[]) => paths as FilePath[];
const test: Constraint = { name: 'test', run: 'npm test', paths: ['**'], timeoutMs: 60_000, required: true };

describe('the constraints of a change', () => {
  it('are those that cover one of its paths, required ones first', () => {
    const style = { ...test, name: 'style', required: false };
    const docs = { ...test, name: 'docs', paths: ['docs'] };
    expect(constraintsFor(changed('src/a.ts'), [style, docs, test], [style, docs, test]).constraints.map((c) => c.name)).toEqual(['test', 'style']);
  });

  it('hold when the line has loosened them since', () => {
    const loosened = { ...test, required: false, timeoutMs: 600_000, paths: ['src/**'] };
    expect(constraintsFor(changed('lib/a.ts'), [test], [loosened]).constraints).toEqual([{ ...test, paths: ['**', 'src/**'] }]);
    expect(constraintsFor(changed('lib/a.ts'), [test], []).constraints).toEqual([test]);
  });

  it('hold when the line has added them since', () => {
    expect(constraintsFor(changed('a'), [], [test]).constraints).toEqual([test]);
  });

  it('run both commands when the command differs', () => {
    const now = { ...test, run: 'true', required: false };
    expect(constraintsFor(changed('a'), [test], [now]).constraints.map((c) => [c.name, c.run, c.required])).toEqual([['test (as at the start)', 'npm test', true], ['test', 'true', true]]);
  });

  it('do not lose a path to an exception that only one version makes', () => {
    const excepted = { ...test, paths: ['**', '!src/**'] };
    const both = constraintsFor(changed('src/a.ts'), [test], [excepted]);
    expect(both.constraints).toHaveLength(1);
    expect(both.withoutRequired).toEqual([]);
  });

  it('cover hidden files, and a folder by its name', () => {
    const ci = { ...test, paths: ['.github', 'a b/'] };
    expect(constraintsFor(changed('.github/workflows/ci.yml', 'a b/c', '.githubx'), [ci], []).uncovered).toEqual(['.githubx']);
  });

  it('leave a change unchecked where none covers it, and name what no required one covers', () => {
    expect(constraintsFor(changed('README.md'), [{ ...test, paths: ['src/**'] }], [])).toEqual({ constraints: [], uncovered: ['README.md'], withoutRequired: ['README.md'], unchecked: true });
    const advisory = constraintsFor(changed('src/a', 'x'), [{ ...test, paths: ['src'], required: false }], []);
    expect(advisory).toMatchObject({ unchecked: false, uncovered: ['x'], withoutRequired: ['src/a', 'x'] });
  });
});
