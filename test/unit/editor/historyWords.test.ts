import { describe, expect, it } from 'vitest';
import { episodeId } from '../../../src/core/ids.ts';
import { publishedWords, takenWords } from '../../../src/editor/history/historyWords.ts';

const [e1, e2] = [episodeId.parse('e1-k3f9'), episodeId.parse('e2-k3f9')];

describe('what is said of a history that was published or came', () => {
  it('names the agents and where they went, and each refusal with its words', () => {
    expect(publishedWords({ sent: [e1], refused: [{ episode: e2, words: 'e2-k3f9/record: [rejected] (fetch first)' }] }, 'origin')).toBe('1 agent published to origin: e1. Whoever can read origin gets them with Fetch History. e2 was refused: e2-k3f9/record: [rejected] (fetch first).');
    expect(publishedWords({ sent: [], refused: [] }, 'origin')).toBe('Nothing was published to origin.');
  });

  it('names what came, what has a newer verdict, and what was left alone and why', () => {
    expect(takenWords({ added: [], changed: [], left: [] }, 'origin')).toBe('Nothing new came from origin.');
    expect(takenWords({ added: [e1], changed: [e2], left: [{ name: 'refs/worldtree/episodes/e3-k3f9/record', words: 'it went another way in the other clone' }] }, 'origin'))
      .toBe('1 agent came from origin: e1. e2 has a newer verdict from there. e3-k3f9/record was left alone: it went another way in the other clone.');
    expect(takenWords({ added: [e1], changed: [], left: Array.from({ length: 5 }, () => ({ name: 'e9-aaaa', words: 'it is not JSON' })) }, 'origin')).toMatch(/2 more were left alone\.$/);
  });
});
