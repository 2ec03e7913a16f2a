import { afterEach, expect, it } from 'vitest';
import { makeTemporaryFolder, removeFolder } from '../../support/temporaryFolder.ts';
import { value } from '../../support/testWorld.ts';
import { FILES, givenWorld, withLine } from './proposedChange.ts';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

it('a check that fails and then passes on the same files is shown as flaky, and its newest result lets a person accept', async () => {
  const outside = makeTemporaryFolder('flaky');
  cleanups.push(() => { removeFolder(outside); });
  const check = (name: string, run: string) => `[[constraint]]\nname = "${name}"\nrun = "${run}"\npaths = ["api/**"]\nrequired = true\n`;
  const genesis = `${check('second time', `test -e ${outside}/ran || { touch ${outside}/ran; exit 1; }`)}${check('third time', `test -e ${outside}/again || { test -e ${outside}/once && touch ${outside}/again; touch ${outside}/once; exit 1; }`)}`;
  const { world, propose } = await givenWorld(cleanups, { ...FILES, 'genesis.toml': genesis });
  const id = await propose({ 'api/server.ts': withLine(2, 'agent') });
  const known = async () => value(await world.world.planAccept(id, null)).checks.map((one) => [one.name, one.known]);
  expect((await world.accept(id)).ok).toBe(false);
  expect(await known()).toEqual([['second time', 'failed'], ['third time', 'failed']]);
  expect((await world.accept(id)).ok).toBe(false);
  expect(await known()).toEqual([['second time', 'flaky'], ['third time', 'failed']]);
  value(await world.accept(id));
});
