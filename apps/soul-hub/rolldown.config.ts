import { defineConfig } from "rolldown";
import { licenses } from "../../tools/licenses.ts";

/** Bundles the tool with all of its libraries into one file, which needs Node alone (0055). */
export default defineConfig({
  input: "src/main.ts",
  platform: "node",
  transform: { target: "node22" },
  plugins: [licenses()],
  output: { file: "dist/soul-hub.js", format: "esm", codeSplitting: false },
});
