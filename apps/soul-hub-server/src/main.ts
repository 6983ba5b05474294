#!/usr/bin/env node
import { placeData } from "./env.ts";

placeData();
const args = process.argv.slice(2);
if (args[0] === "start") {
  await import("@soul-hub/server/stop-with-npx");
  await import("@soul-hub/server");
} else {
  const { runCli } = await import("@soul-hub/cli");
  process.exitCode = await runCli(
    args,
    {
      stdout: (text) => process.stdout.write(text),
      stderr: (text) => process.stderr.write(text),
    },
    process.env,
    "soul-hub-server",
  );
}
