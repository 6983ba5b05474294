import { ModelConfigError } from "@soul-hub/api";
import { EnvironmentError } from "@soul-hub/api/operator";
import { readEnvironment } from "./env.ts";
import { startServer } from "./server.ts";
import { version } from "./version.ts";

// Ignores broken pipes (`start | head -1`). Without a listener, each such error would end the
// process.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
try {
  const server = await startServer(readEnvironment(), version);
  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    await server.stop();
    process.exit(0);
  };
  process.on("SIGTERM", stop).on("SIGINT", stop);
  // The server's greeting is printed last, because a program that reads it may stop the server at
  // once.
  process.stdout.write(`${server.greeting}\n`);
} catch (error) {
  const isSetting = error instanceof EnvironmentError || error instanceof ModelConfigError;
  if (!isSetting) throw error;
  process.stderr.write(`Soul Hub can't start.\n${error.message}\n`);
  process.exit(1);
}
