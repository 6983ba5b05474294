import { defineConfig } from "rolldown";

/** Bundles the tool with all of its libraries into one file, which needs Node alone (0055). */
export default defineConfig({
  input: "src/main.ts",
  platform: "node",
  transform: { target: "node22" },
  output: { file: "dist/soul-hub.js", format: "esm", codeSplitting: false },
});
