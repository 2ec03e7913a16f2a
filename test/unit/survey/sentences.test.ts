import { describe, expect, it } from 'vitest';
import { firstSentence } from '../../../src/core/survey/api/apiItem.ts';

describe('the first sentence of a documentation text', () => {
  it.each([
    ['keeps a tag that stands in code', 'Compiles `<script setup>` of <b>one</b> file.', 'Compiles `<script setup>` of one file'],
    ['takes a link off whole', 'The half of a value that [`split`](split()) gives.', 'The half of a value that `split` gives'],
    ['ends with a line that ends early, where a capital begins the next', 'Reads "123-foo" as 123\nThis is used for numbers', 'Reads "123-foo" as 123'],
    ['goes on over a line that was full', 'Takes the whole of a descriptor that was made before and gives the\nDocument of it', 'Takes the whole of a descriptor that was made before and gives the Document of it'],
    ['goes on over a line that ends early before a small letter', 'Reads lines\nof one file', 'Reads lines of one file'],
  ])('%s', (_, text, sentence) => {
    expect(firstSentence(text)).toBe(sentence);
  });
});
