import { ModelConfigError } from "@soul-hub/api";
import { EnvironmentError, readEnvironment } from "./env.ts";
import { startServer } from "./server.ts";
import { goOnUnheard } from "./unheard.ts";
import { version } from "./version.ts";
import { keepRequestsYoung } from "./young-requests.ts";

keepRequestsYoung();
goOnUnheard();
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
  // Last: whoever has read it may stop the server.
  process.stdout.write(`${server.greeting}\n`);
} catch (error) {
  const isSetting = error instanceof EnvironmentError || error instanceof ModelConfigError;
  if (!isSetting) throw error;
  process.stderr.write(`Soul Hub can't start.\n${error.message}\n`);
  process.exit(1);
}
