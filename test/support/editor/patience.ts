/** How long a step may take before it counts as failed, in milliseconds. Long, because it only shows when something is wrong and a shared machine can be slow. */
export const patience = 120_000;
