import { describe, expect, it } from 'vitest';
import { firstCommitItems, type OfferedFile } from '../../../src/core/firstCommit/firstCommitItems.ts';
import type { FilePath } from '../../../src/core/ids.ts';

const file = (path: string, more: Partial<OfferedFile> = {}): OfferedFile => ({ path: path as FilePath, bytes: 10, staged: false, ...more });
const lines = (...files: OfferedFile[]): string[] => firstCommitItems(files).map(({ label, description, picked }) => `${picked ? '+' : '-'} ${label}${description === '' ? '' : `: ${description}`}`);

describe('what is picked for a first commit', () => {
  it('is everything but what may hold secrets, is large, or is installed', () => {
    expect(lines(file('a.ts'), file('.env'), file('deploy.pem'), file('film.mov', { bytes: 12 * 1024 * 1024 }), file('web/node_modules/x/index.js'))).toEqual([
      '+ a.ts', '- .env: may hold secrets', '- deploy.pem: may hold secrets', '- film.mov: large: 12 MB', '- web/node_modules/x/index.js: installed or generated: usually ignored',
    ]);
  });

  it('takes code about tokens for code, and a file of secrets for one', () => {
    expect(lines(file('src/tokenizer.ts'), file('PasswordField.tsx'), file('app/secrets.py'), file('.env.example'))).toEqual(['+ src/tokenizer.ts', '+ PasswordField.tsx', '- app/secrets.py: may hold secrets', '+ .env.example']);
  });

  it('is exactly what is staged where something is', () => {
    expect(lines(file('a.ts'), file('.env', { staged: true }), file('b.ts', { staged: true, bytes: null }))).toEqual(['- a.ts', '+ .env: staged', '+ b.ts: staged']);
  });

  it('is shown by folder where the list would be too long to read, with what is doubtful apart', () => {
    const many = Array.from({ length: 500 }, (_, i) => file(`src/${String(i)}.ts`));
    expect(lines(...many, file('README.md'), file('src/.env'), file('lib/a.ts'))).toEqual(['+ src/: 500 files', '+ README.md', '- src/.env: may hold secrets', '+ lib/a.ts']);
    expect(firstCommitItems(many)[0]?.files).toHaveLength(500);
  });
});
