import { describe, expect, test } from 'vitest';
import { firstLineOf, furtherLines, withFirstLine } from '../../../src/editor/longText/firstLine.ts';

describe('a text of several lines in a box of one', () => {
  test('shows its first line, and tells of the others that say something', () => {
    expect(firstLineOf('Cap retries\n\nBody.\n')).toBe('Cap retries');
    expect(furtherLines('Cap retries\n\nBody.\n\nEnd.\n')).toEqual(['Body.', 'End.']);
    expect([firstLineOf('one'), furtherLines('one'), firstLineOf('')]).toEqual(['one', [], '']);
  });

  test('changes that line and nothing else', () => {
    expect(withFirstLine('Cap retries\n\nBody.\n', 'Limit retries')).toBe('Limit retries\n\nBody.\n');
    expect(withFirstLine('one', 'two')).toBe('two');
    expect(withFirstLine('\nBody.', 'New')).toBe('New\nBody.');
  });
});
