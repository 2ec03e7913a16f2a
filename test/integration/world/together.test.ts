import { afterEach, describe, expect, it } from 'vitest';
import { failsTogether } from '../../../src/core/candidate/failsTogether.ts';
import type { EpisodeId } from '../../../src/core/ids.ts';
import { currentCandidate } from '../../../src/core/world/state.ts';
import { call } from '../../support/scriptedModel.ts';
import { value, type TestWorld } from '../../support/testWorld.ts';
import { FILES, givenWorld, withLine } from './proposedChange.ts';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** At most one of the two files may say "agent": each change keeps to it, both together do not. */
const AT_MOST_ONE = '[[constraint]]\nname = "at most one"\nrun = "grep -l agent api/*.ts > found; echo said by $(wc -l < found); test $(wc -l < found) -lt 2"\npaths = ["api/**"]\nrequired = true\n';
const GIVEN = { ...FILES, 'genesis.toml': AT_MOST_ONE };

const together = (world: TestWorld, id: EpisodeId) => {
  const episode = world.episode(id);
  const candidate = currentCandidate(episode);
  return candidate ? failsTogether(episode, candidate) : null;
};

describe('two changes of which each passes alone and which fail together (D23)', () => {
  it('the second is refused in words of its own and stays so in the history', async () => {
    const { repository, world, propose } = await givenWorld(cleanups, GIVEN);
    const first = await propose({ 'api/server.ts': withLine(2, 'agent') });
    const second = await propose({ 'api/route.ts': withLine(2, 'agent') });
    const { commit } = value(await world.accept(first));
    const refused = await world.accept(second);
    expect(refused.ok ? null : refused.refusal).toMatchObject({ reason: 'fails-together', message: expect.stringContaining(`passes alone, and fails together with main at ${commit.slice(0, 7)}`) as unknown });
    expect(repository.git('rev-parse', 'HEAD')).toBe(commit);
    expect(together(world, second)).toMatchObject({ tip: commit, constraint: 'at most one' });
  });

  it('is sent back on the new tip: the agent finds both changes and is told of the check', async () => {
    const { repository, world, model, propose } = await givenWorld(cleanups, GIVEN, {}, [{ calls: [call('edit_file', { path: 'api/route.ts', old_text: 'agent', new_text: 'nobody' })] }, { calls: [call('finish', { subject: 'Without it', report: 'Says nobody.' })] }]);
    const first = await propose({ 'api/server.ts': withLine(2, 'agent') });
    const second = await propose({ 'api/route.ts': withLine(2, 'agent') });
    const { commit } = value(await world.accept(first));
    expect((await world.accept(second)).ok).toBe(false);
    value(await world.world.rework(second, 'Make it pass.'));
    await world.reaches(second, 'waiting');
    const told = JSON.stringify(model.requests.at(-1)?.body.messages);
    expect(told).toContain(`now stands on main at ${commit.slice(0, 7)}, with your change merged onto it`);
    expect(told).toContain('said by 2');
    expect(told).not.toContain('edited by the person');
    const reworked = currentCandidate(world.episode(second));
    expect([reworked?.base, reworked?.inside.map((file) => file.path)]).toEqual([commit, ['api/route.ts']]);
    expect(together(world, second)).toBeNull();
    value(await world.accept(second));
    expect(repository.git('show', 'HEAD:api/route.ts')).toContain('nobody');
  });

  it('is sent back on the new tip too where only some of its files were tried', async () => {
    const { world, model, propose } = await givenWorld(cleanups, GIVEN);
    const first = await propose({ 'api/server.ts': withLine(2, 'agent') });
    const second = await propose({ 'api/route.ts': withLine(2, 'agent'), 'api/new.ts': 'new\n' });
    const { commit } = value(await world.accept(first));
    const refused = await world.accept(second, { files: ['api/route.ts'] });
    expect(refused.ok ? null : refused.refusal.reason).toBe('fails-together');
    expect(together(world, second)).toMatchObject({ tip: commit, constraint: 'at most one' });
    value(await world.world.rework(second, 'Make it pass.'));
    await world.reaches(second, 'waiting');
    expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain(`now stands on main at ${commit.slice(0, 7)}`);
  });

  it('is no such state where the change fails alone too', async () => {
    const { repository, world, propose } = await givenWorld(cleanups, GIVEN);
    const id = await propose({ 'api/server.ts': withLine(2, 'agent'), 'api/route.ts': withLine(2, 'agent') });
    repository.commit('Meanwhile', { 'web/page.ts': 'export const page = 2;\n' });
    const refused = await world.accept(id);
    expect(refused.ok ? null : refused.refusal.reason).toBe('check-failed');
    expect(together(world, id)).toBeNull();
  });
});

describe('three changes that wait while the person commits (D24)', () => {
  it('are accepted one after the other, each checked on the tip of its turn, and none starts over without end', async () => {
    const noted = '[[constraint]]\nname = "seen"\nrun = "ls api web"\npaths = ["api/**"]\nrequired = true\n';
    const { repository, world, propose } = await givenWorld(cleanups, { ...FILES, 'genesis.toml': noted });
    const ids = [await propose({ 'api/one.ts': '1\n' }), await propose({ 'api/two.ts': '2\n' }), await propose({ 'api/three.ts': '3\n' })];
    // Between the merge of each and its lock, where the person's commit makes it start over.
    let commits = 0;
    const commitOnce = (): ((words: string) => void) => {
      let done = false;
      return (words) => {
        if (done || !words.startsWith('accepting onto')) return;
        done = true;
        repository.commit(`Person ${String(++commits)}`, { [`web/${String(commits)}.ts`]: 'by hand\n' });
      };
    };
    const accepted = await Promise.all(ids.map((id) => world.accept(id, { progress: commitOnce() })));
    accepted.map(value);
    const order = repository.git('log', '--reverse', '--format=%s').split('\n');
    expect(order.filter((subject) => subject === 'Accepted')).toHaveLength(3);
    expect(order.filter((subject) => subject.startsWith('Person'))).toHaveLength(3);
    for (const [id, result] of ids.map((id, i) => [id, accepted[i]] as const)) {
      const commit = value(result ?? { ok: false, refusal: { reason: 'git-failed', message: '', next: '' } }).commit;
      const tree = repository.git('rev-parse', `${commit}^{tree}`);
      expect(world.episode(id).evidence.findLast((seen) => seen.evidence.tree === tree)).toMatchObject({ tip: repository.git('rev-parse', `${commit}^`), evidence: { result: 'passed' } });
    }
    expect(repository.git('status', '--porcelain')).toBe('');
    expect(repository.git('ls-tree', '--name-only', 'HEAD', 'api/').split('\n')).toEqual(expect.arrayContaining(['api/one.ts', 'api/two.ts', 'api/three.ts']));
  });
});
