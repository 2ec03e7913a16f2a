import { expect, test } from 'vitest';
import { episodeId, type EpisodeId } from '../../../src/core/ids.ts';
import { toGiveBack } from '../../../src/core/limits/diskBudget.ts';
import { candidate, prepared, started } from '../../support/facts.ts';
import { given, minutes } from '../../support/given.ts';

const [oldest, next, atWork, gone] = ['e1-k3f9', 'e2-k3f9', 'e3-k3f9', 'e4-k3f9'].map((id) => episodeId.parse(id)) as [EpisodeId, EpisodeId, EpisodeId, EpisodeId];
const waits = (episode: EpisodeId) => ({ type: 'candidate.proposed', episode, candidate: candidate(1), replaces: null }) as const;
const { state } = given(
  ...[oldest, next, atWork, gone].flatMap((episode) => [started({ episode }), prepared(episode)]),
  waits(gone), minutes(1), waits(oldest), minutes(1), waits(next),
);
const use = { total: 100, byEpisode: new Map([[next, 30], [oldest, 40], [atWork, 20]]) };

test('within the budget nothing is given back', () => {
  expect(toGiveBack(state, use, 100)).toEqual([]);
});

test('above it, what waits longest goes first, and no more than is needed', () => {
  expect(toGiveBack(state, use, 99)).toEqual([oldest]);
  expect(toGiveBack(state, use, 60)).toEqual([oldest]);
  expect(toGiveBack(state, use, 59)).toEqual([oldest, next]);
});

test('what is at work is never given back, however little there is', () => {
  expect(toGiveBack(state, use, 0)).toEqual([oldest, next]);
});
