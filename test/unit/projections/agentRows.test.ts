import { describe, expect, test } from 'vitest';
import type { Retention } from '../../../src/core/candidate/retention.ts';
import { episodeId } from '../../../src/core/ids.ts';
import { agentRows } from '../../../src/core/projections/agentRows.ts';
import { activity, statusText } from '../../../src/core/projections/statusLine.ts';
import { worldRows } from '../../../src/core/projections/worldRows.ts';
import { filePath } from '../../../src/core/ids.ts';
import { answered, asked, AT_WORK, commit, E1, ended, interrupted, move, moved, prepared, replied, requested, SURVEY, started, UNPRICED, WAITING } from '../../support/facts.ts';
import { given, minutes, type Past } from '../../support/given.ts';

const E2 = episodeId.parse('e2-k3f9');
const rows = (...past: readonly Past[]) => agentRows(given(...past).state, { live: () => undefined, retention: () => undefined });
const firstOf = (...past: readonly Past[]) => rows(...past)[0];

describe('a row in Agents', () => {
  test('names number and folder, and says that the worktree is being prepared', () => {
    expect(firstOf(started())).toMatchObject({ label: 'e1 packages/api', urgency: 'works', description: 'preparing its worktree · 0 turns · 0 tokens · $0.00' });
  });

  test('says where an accepted change is now, if that is elsewhere', () => {
    const { state } = given(...WAITING, ...moved(move(1)));
    const description = (retention: Retention) => agentRows(state, { live: () => undefined, retention: () => retention })[0]?.description;
    expect(description({ kind: 'retained', as: move(1).new })).toMatch(/^accepted · 0 turns/);
    expect(description({ kind: 'retained', as: commit(0xabc) })).toMatch(/^accepted · retained as 0000000 · /);
    expect(description({ kind: 'rewritten' })).toMatch(/^accepted · no longer found on main · /);
  });

  test('prefers what the agent does this moment', () => {
    expect(agentRows(given(...AT_WORK).state, { live: () => 'turn 4: run npm test', retention: () => undefined })[0]?.description).toMatch(/^turn 4: run npm test · /);
  });

  test('counts turns, tokens and cost', () => {
    expect(firstOf(...AT_WORK, requested(1, {}, 1), replied(1, { fresh: 12_000, cached: 300_000, output: 500 }, 0.12))?.description).toBe('working · 1 turn · 313 k tokens · $0.12');
  });

  test('claims no cost for a model without prices, and none at all for a survey', () => {
    const used = [prepared(), requested(1, {}, 0), replied(1, { fresh: 900 }, 0)];
    expect(firstOf(started({ model: UNPRICED }), ...used)?.description).toBe('working · 1 turn · 900 tokens');
    expect(firstOf(started({ model: SURVEY }), ...used)?.description).toBe('working · 1 turn');
  });

  test('says what it asks, and works on when it is answered', () => {
    const question = asked({ kind: 'run', command: 'npm test', prefix: ['npm', 'test'], purpose: 'agent' });
    expect(firstOf(...AT_WORK, question)).toMatchObject({ urgency: 'asks', description: expect.stringMatching(/^asks to run npm test · /) as unknown });
    expect(firstOf(...AT_WORK, question, answered('run'))).toMatchObject({ urgency: 'works' });
  });

  test('says that it was interrupted', () => {
    expect(firstOf(...AT_WORK, interrupted())).toMatchObject({ urgency: 'asks', description: expect.stringMatching(/^interrupted/) as unknown });
  });

  test('has a change to open once it proposed one, and keeps how it ended', () => {
    expect(firstOf(...WAITING)).toMatchObject({ urgency: 'waits', hasChange: true });
    expect(firstOf(...WAITING, ...moved(move(1)))).toMatchObject({ urgency: 'ended', outcome: 'accepted', description: expect.stringMatching(/^accepted · /) as unknown });
    expect(firstOf(...AT_WORK, ended('failed', 'the server is not there'))).toMatchObject({ outcome: 'failed', description: expect.stringMatching(/^failed: the server is not there · /) as unknown });
  });

  test('stands under its parent, and at the top where the parent is gone', () => {
    const child = started({ episode: E2, parent: E1 });
    expect(rows(...AT_WORK, child).map((r) => r.children.map((c) => c.episode))).toEqual([[E2]]);
    expect(rows(...AT_WORK, child, { type: 'episode.removed', episode: E1 }).map((r) => r.episode)).toEqual([E2]);
  });

  test('those at work stand before those that are over, each with the newest first', () => {
    expect(rows(...AT_WORK, ended('no change'), minutes(1), started({ episode: E2 })).map((r) => r.episode)).toEqual([E2, E1]);
  });
});

describe('the status bar', () => {
  test('counts those at work, those that ask and those to review, with today’s cost', () => {
    expect(statusText(activity([given(...AT_WORK).state, given(...WAITING).state]), 0.42)).toBe('1 agent, 1 to review · $0.42 today');
    expect(statusText(activity([given(...AT_WORK, interrupted()).state]), 0)).toBe('1 asks');
    expect(statusText(activity([given().state]), 0)).toBe('');
  });
});

describe('a row in Worlds', () => {
  const context = { now: 0, repositoryName: 'project', head: 'main 3f9a21c', contextFiles: ['packages/CONTEXT.md', 'packages/web/ui/CONTEXT.md'].map((p) => filePath.parse(p)) };

  test('stands for the root, each folder with an agent and each with a CONTEXT.md, below the nearest of them', () => {
    const root = worldRows(given(...AT_WORK).state, context);
    expect(root).toMatchObject({ label: 'project', description: 'main 3f9a21c' });
    expect(root.children.map((r) => [r.label, r.description])).toEqual([['packages', 'main 3f9a21c · CONTEXT.md']]);
    expect(root.children[0]?.children.map((r) => [r.label, r.description])).toEqual([['api', 'main 3f9a21c · 1 agent at work'], ['web/ui', 'main 3f9a21c · CONTEXT.md']]);
  });

  test('says that a change waits, and when one was accepted', () => {
    const waiting = worldRows(given(...WAITING).state, { ...context, contextFiles: [] });
    expect(waiting.children[0]?.description).toBe('main 3f9a21c · 1 change waits');
    const accepted = given(...WAITING, ...moved(move(1)), minutes(3));
    expect(worldRows(accepted.state, { ...context, contextFiles: [], now: accepted.now }).children[0]?.description).toBe('main 3f9a21c · accepted 3 min ago');
  });
});
