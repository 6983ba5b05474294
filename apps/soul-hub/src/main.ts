#!/usr/bin/env node
import { runCli } from "./run-cli.ts";

// A reader such as `head` has enough.
process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
  if (code === "EPIPE") process.exit(0);
});
process.exitCode = await runCli(process.argv.slice(2), process);
