import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { ownPostgresDatabase, testDatabases } from "@soul-hub/api/testing";
import { describe, expect, it } from "vitest";
import { startHubProcess } from "./hub-process.fixture.ts";

/** Decision 0033. */
describe.runIf(testDatabases().includes("postgresql"))("pnpm hub move-to", () => {
  it("moves a running hub, and prints variables with which a shell starts it there", async () => {
    await using running = await startHubProcess();
    await using target = await ownPostgresDatabase("none");
    const moved = await running.hub("move-to", target.url);
    expect(moved).toMatchObject({ code: 0, stderr: "" });
    const secrets = JSON.parse(
      await readFile(path.join(running.directory, "secrets.json"), "utf8"),
    );
    expect(moved.stdout).not.toContain(secrets.master_keys);

    const exports = moved.stdout.split("\n").filter((line) => line.startsWith("export "));
    const script = [...exports, "node -p 'JSON.stringify(process.env)'"].join("\n");
    const PATH = path.dirname(process.execPath);
    const { stdout } = await promisify(execFile)("/bin/sh", ["-c", script], { env: { PATH } });
    expect(JSON.parse(stdout)).toMatchObject({
      DATABASE_URL: target.url,
      MASTER_KEYS: secrets.master_keys,
      ADMIN_TOKEN: secrets.admin_token,
    });
  });
});
