#!/usr/bin/env node
import { guardStdout, needNode } from "@soul-hub/program";
import { runCli } from "./run-cli.ts";

needNode("soul-hub", "22.4");
guardStdout();
process.exitCode = await runCli(process.argv.slice(2), process);
