import { CommanderError } from "@commander-js/extra-typings";
import { askHub } from "./ask-hub.ts";
import { CommandFailure } from "./command-failure.ts";
import { readEnvironment } from "./env.ts";
import { findHub } from "./find-hub.ts";
import { createProgram } from "./program.ts";

const WRONG_ARGUMENTS = 2;

const program = createProgram(async (command) => {
  const place = await findHub(readEnvironment());
  const { json, text, exitCode = 0 } = await askHub(place, command);
  process.stdout.write(`${program.opts().json ? JSON.stringify(json, null, 2) : text}\n`);
  process.exitCode = exitCode;
});

try {
  if (process.argv.length <= 2) program.outputHelp();
  else await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    // It has printed what it had to say.
    process.exitCode = error.exitCode === 0 ? 0 : WRONG_ARGUMENTS;
  } else if (error instanceof CommandFailure) {
    const { code, message, exitCode } = error;
    const forMachines = JSON.stringify({ success: false, error: code, message });
    process.stderr.write(`${program.opts().json ? forMachines : message}\n`);
    process.exitCode = exitCode;
  } else {
    throw error;
  }
}
