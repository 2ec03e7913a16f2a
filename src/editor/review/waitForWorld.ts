import type { OpenWorld } from '../../runtime/openWorld.ts';
import { worldOf, type Worlds } from '../worlds.ts';

/** Editors are restored before the repositories have been opened: their files wait for that, rather than fail. */
export async function waitForWorld(worlds: Worlds, key: string): Promise<OpenWorld | undefined> {
  const world = worldOf(worlds, key);
  if (world || worlds.ready) return world;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, 30_000);
    const subscription = worlds.onDidChange(() => { if (worlds.ready || worldOf(worlds, key)) done(); });
    function done(): void {
      clearTimeout(timer);
      subscription.dispose();
      resolve();
    }
  });
  return worldOf(worlds, key);
}
