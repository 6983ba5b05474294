import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: [
      "{apps,packages}/*/{src,test}/**/*.test.{ts,tsx}",
      "bench/**/*.test.ts",
      "tools/*.test.ts",
    ],
    globalSetup: "./tools/test-services.ts",
    // A worker runs its files one after the other in one module graph, so that they share one
    // in-memory database, which takes longer to start than most files take to run.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // A forgotten `.only` would make every other test pass unseen.
    allowOnly: false,
  },
});
