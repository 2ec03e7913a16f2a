import { defineConfig } from 'vitest/config';

const limit = { testTimeout: 60_000, hookTimeout: 60_000 };

export default defineConfig({
  test: {
    // By default vitest leaves a core free, which of two is half of the machine.
    maxWorkers: '100%',
    projects: [
      ...['unit', 'rules', 'integration'].map((name) => ({ test: { name, include: [`test/${name}/**/*.test.ts`], ...limit } })),
      // A real editor each: one after the other (`npm run walkthrough`), and the first run also downloads it.
      { test: { name: 'walkthrough', include: ['test/walkthrough/**/*.walk.ts'], testTimeout: 900_000, hookTimeout: 900_000 } },
    ],
  },
});
