#!/usr/bin/env node
import { placeData } from "./env.ts";

const WRONG_ARGUMENTS = 2;
const START = `Usage: soul-hub-server start

Starts a hub. Environment variables configure it, and its data is in .data here or in DATA_DIR.
All other commands are those of the operator's tool:

`;

placeData();
const [command, ...rest] = process.argv.slice(2);
if (command === "start") {
  await start(rest);
} else {
  const { runCli } = await import("@soul-hub/cli");
  const stdout = (text: string) => process.stdout.write(text);
  const stderr = (text: string) => process.stderr.write(text);
  if (command === undefined || command === "--help") stdout(START);
  const args = process.argv.slice(2);
  process.exitCode = await runCli(args, { stdout, stderr }, { name: "soul-hub-server" });
}

async function start(options: string[]): Promise<void> {
  if (options.length > 0) {
    process.stderr.write("start takes no arguments: environment variables configure the hub.\n");
    process.exitCode = WRONG_ARGUMENTS;
    return;
  }
  await import("@soul-hub/server/stop-with-npx");
  await import("@soul-hub/server");
}
