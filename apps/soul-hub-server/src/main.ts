#!/usr/bin/env node
import { needNode } from "@soul-hub/program";
import { placeData } from "./env.ts";

const NAME = "soul-hub-server";
const WRONG_ARGUMENTS = 2;
const START = `Usage: soul-hub-server start

Starts a hub. Environment variables configure it, and its data is in .data here or in DATA_DIR.
All other commands are those of the operator's tool:

`;

needNode(NAME, "24");
const dataDirectory = placeData();
const [command, ...rest] = process.argv.slice(2);
if (command === "start") {
  await start(rest);
} else {
  const { runOnProcess } = await import("@soul-hub/cli");
  const isHelp = command === undefined || command === "--help";
  const args = process.argv.slice(2);
  process.exitCode = await runOnProcess(args, { name: NAME, intro: isHelp ? START : "" });
}

async function start(options: string[]): Promise<void> {
  if (options.length > 0) {
    process.stderr.write("start takes no arguments: environment variables configure the hub.\n");
    process.exitCode = WRONG_ARGUMENTS;
    return;
  }
  const { keepCompiledCode } = await import("./compile-cache.ts");
  keepCompiledCode(dataDirectory, import.meta.filename);
  await import("@soul-hub/server/stop-with-npx");
  await import("@soul-hub/server");
  // A hub that is killed would leave nothing for the next start.
  (await import("node:module")).flushCompileCache();
}
