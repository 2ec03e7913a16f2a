import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: ['unit', 'rules', 'integration'].map((name) => ({ test: { name, include: [`test/${name}/**/*.test.ts`], testTimeout: 60_000, hookTimeout: 60_000 } })),
  },
});
