import type { Server } from '../../src/core/models/modelProfile.ts';
import { PROVIDERS, type ServerTraits } from '../../src/core/models/providers.ts';

/** A server of no provider in particular, spoken to as tests want it. */
export function testServer(traits: Partial<ServerTraits> = {}, more: Partial<Server> = {}): Server {
  return { provider: 'other', traits: { ...PROVIDERS.other.traits, ...traits }, headers: {}, extraBody: {}, ...more };
}
