import { z } from 'zod';

/** What VS Code tells of a model beyond its typed interface, which has no word on tools. */
const told = z.object({ capabilities: z.object({ supportsToolCalling: z.boolean() }) });

/** True only where VS Code says so: an older one says nothing, and then the first request shows it. */
export function callsNoTools(model: unknown): boolean {
  const { data } = told.safeParse(model);
  return data !== undefined && !data.capabilities.supportsToolCalling;
}
