import { expect, it, onTestFinished } from 'vitest';
import { openLedger } from '../../../src/adapters/ledger/openLedger.ts';
import { systemClock } from '../../../src/adapters/systemClock.ts';
import { absolutePath, commitId, folderPath, refName } from '../../../src/core/ids.ts';
import { DELEGATION_LIMITS } from '../../../src/core/limits/limits.ts';
import { WorldLog } from '../../../src/runtime/worldLog.ts';
import { makeTemporaryRepository } from '../../support/temporaryRepository.ts';

it('begins the effects of facts on disk before anyone hears of the facts, so that no listener can keep them back', async () => {
  const repository = makeTemporaryRepository({ 'readme.md': 'A project.\n' });
  onTestFinished(() => { repository.remove(); });
  const ledger = await openLedger(absolutePath.parse(repository.git('rev-parse', '--path-format=absolute', '--git-common-dir')));
  onTestFinished(() => ledger.close());
  const order: string[] = [];
  const log = new WorldLog(ledger, systemClock, (effect) => { order.push(effect.do); });
  log.onChange(() => { order.push('heard'); });
  await log.dispatch({
    type: 'delegate', tag: ledger.tag, world: { commit: commitId.parse(repository.git('rev-parse', 'HEAD')), path: folderPath.parse('') }, target: { kind: 'branch', ref: refName.parse('refs/heads/main') },
    goal: 'Anything', role: 'executor', model: { kind: 'survey' }, limits: DELEGATION_LIMITS, uncommittedElsewhere: 0, configWarnings: [],
  });
  expect(order).toEqual(['prepare worktree', 'heard']);
});
