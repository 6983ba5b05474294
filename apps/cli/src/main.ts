import { runOnProcess } from "./run-cli.ts";

process.exitCode = await runOnProcess(process.argv.slice(2));
