import { describe, expect, it } from 'vitest';
import { isBoundedGlob } from '../../src/core/boundedGlob.ts';
import { globMatcher } from '../../src/core/candidate/scope.ts';
import { parseGenesisToml } from '../../src/core/constraints/genesisToml.ts';

describe('a glob that takes no end of time to match', () => {
  it.each(['*a*a*a*b', '*a*a*a/*a*a*a/*a*a*a/b', '+(a|aa)+(a|aa)b', '*(a*)*', '!(z)!(z)b', '**/**/**/**/**/**/x', '{a,a}{a,a}{a,a}{a,a}b', '{**,x}/{**,x}/{**,x}/{**,x}/b'])('is told: %s', (glob) => {
    expect(isBoundedGlob(glob)).toBe(false);
  });

  it.each(['', '**', '**/*.ts', '**/{src,test}/**/*.{ts,tsx}', 'a/*/b/*/c/*/*.json', 'packages/*/src/**/*.test.*', 'docs/*-*-*.md', '!**/*.snap', '{a,b}/**', '*.@(ts|tsx)', '**/a/**/b/**/*.js'])('is not one that people write: %j', (glob) => {
    expect(isBoundedGlob(glob)).toBe(true);
  });

  it('at its bound is matched against the longest names at once', () => {
    const long = 'a'.repeat(255);
    expect(globMatcher(['*a*a*b'])(long)).toBe(false);
    expect(globMatcher(['**/*a*a*b'])(`${'a/'.repeat(40)}${long}`)).toBe(false);
    expect(globMatcher(['**/**/**/**/**/x'])(`${'a/'.repeat(40)}y`)).toBe(false);
    expect(globMatcher(['{**,x}/{**,x}/{**,x}/b'])(`${'a/'.repeat(40)}c`)).toBe(false);
    expect(globMatcher(['**/*a*a'])(`x/${long}`)).toBe(true);
  });

  it('makes a genesis.toml that cannot be used, and says which', () => {
    const parsed = parseGenesisToml('[[constraint]]\nname = "t"\nrun = "true"\npaths = ["*a*a*a*a*a*b"]\n', 'main');
    expect(parsed.ok ? null : parsed.refusal.message).toMatch(/line 4.*few stars/);
  });
});
