import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { END_WITH_PARENT, eventually } from "@soul-hub/api/testing";
import { expect, it } from "vitest";
import { makePlace } from "./testing/server-place.fixture.ts";

it("a server with broken pipes as its output starts, responds, logs and stops", {
  timeout: 60_000,
}, async () => {
  await using place = await makePlace("pglite");
  const main = path.join(import.meta.dirname, "main.ts");
  const child = spawn(process.execPath, ["--import", END_WITH_PARENT, main], {
    env: {
      ...place.env,
      PORT: "0",
      STARTER_SOULS: "off",
      LOG_LEVEL: "trace",
      DATA_SYNC: "off",
      TEXT_MODEL: "offline",
    },
    stdio: "pipe",
  });
  const exited = once(child, "exit");
  // The test closes the server's output pipes, as `| head -1` does after one line.
  child.stdout.destroy();
  child.stderr.destroy();
  try {
    const address = await eventually(async () => {
      expect(child.exitCode).toBe(null);
      const left = await readFile(path.join(place.env.DATA_DIR, "server.json"), "utf8");
      return String(JSON.parse(left).address);
    });
    // Sends enough requests to fill several blocks of log lines.
    for (let n = 0; n < 100; n++) {
      expect((await fetch(`${address}/api/souls`)).status).toBe(200);
    }
    child.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
  } finally {
    child.kill("SIGKILL");
  }
});
