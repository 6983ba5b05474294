import { execFileSync } from "node:child_process";
import { mkdtemp, rm, rmdir, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  copyEmbeddedTemplate,
  eventually,
  keepLog,
  say,
  startOpenAiServer,
} from "@soul-hub/api/testing";
import { describe, expect, inject, it } from "vitest";
import { openAccount, publishSoul } from "../testing/open-account.fixture.ts";
import { startServerProcess } from "../testing/server-process.fixture.ts";

const { asRoot } = inject("services");
const ADMIN_TOKEN = "admin-token-of-the-disk-test";

/** Mounts a disk of 64 MB in memory. */
async function mountDisk() {
  const directory = await mkdtemp(path.join(tmpdir(), "soul-hub-disk-"));
  const run = (...args: string[]) => {
    const [program = "", ...rest] = [...(asRoot ?? []), ...args];
    execFileSync(program, rest);
  };
  const owner = `uid=${process.getuid?.()},mode=700`;
  run("mount", "-t", "tmpfs", "-o", `size=64m,${owner}`, "tmpfs", directory);
  const ballast = path.join(directory, "ballast");
  return {
    directory,
    /** Fills the disk up to `left` bytes. */
    async fill(left: number) {
      const { bavail, bsize } = await statfs(directory);
      // The hub may take the last pages meanwhile. The disk is full then, too.
      await writeFile(ballast, Buffer.alloc(bavail * bsize - left)).catch((error) => {
        if (left > 0 || error.code !== "ENOSPC") throw error;
      });
    },
    free: () => rm(ballast),
    async [Symbol.asyncDispose]() {
      run("umount", directory);
      await rmdir(directory);
    },
  };
}

/** docs/decisions/0031: the disk of an embedded database fills up, and has space again. */
describe.skipIf(!asRoot)("a disk of 64 MB", () => {
  it.each([
    ["below the reserve", "8", 4 * 2 ** 20],
    ["without a reserve, to the last page", "0", 0],
  ])("filled %s", async (_, reserve, left) => {
    await using disk = await mountDisk();
    await using provider = await startOpenAiServer();
    await copyEmbeddedTemplate(path.join(disk.directory, "database"));
    await using server = await startServerProcess({
      DATA_DIR: disk.directory,
      DATA_SYNC: "on",
      DISK_RESERVE_MB: reserve,
      RATE_LIMITS: "off",
      ADMIN_TOKEN,
      MASTER_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64")}`,
      TEXT_MODEL: "openai-compatible:text-model",
      SUMMARY_MODEL: "offline",
      OPENAI_COMPATIBLE_BASE_URL: provider.url,
    });
    const ada = await openAccount(server, ADMIN_TOKEN, "ada");
    const room = { soul_id: await publishSoul(ada), session_token: "hall" };
    expect((await say(ada, room, "Hello.")).status).toBe(200);
    using listener = keepLog({ userAgent: "a listener", url: () => server.url, room });
    await eventually(() => expect(listener.ids).toHaveLength(2));

    await disk.fill(left);
    const guest = server.actor({ name: "a guest" });
    // Without a reserve, writes go on until one needs a new page.
    const soul = { title: "Orla", content: "I keep the light. ".repeat(1_000) };
    await eventually(async () => {
      await ada.post("/api/souls", soul);
      expect((await guest.get("/readyz")).body.storage).toBe("full");
    });
    const asked = provider.requests.length;
    const refused = await say(ada, room, "Is it dark?");
    expect([refused.status, refused.body.error]).toEqual([503, "storage_full"]);
    expect(provider.requests).toHaveLength(asked);
    const { status, body } = await guest.get("/api/souls");
    expect([status, body.data.length]).toEqual([200, expect.any(Number)]);
    expect((await guest.get(`/api/soul/${room.soul_id}`)).status).toBe(200);

    await disk.free();
    await eventually(async () => expect((await guest.get("/readyz")).body.storage).toBe("ok"));
    expect((await say(ada, room, "Is it light?")).status).toBe(200);
    await eventually(() => expect(listener.ids).toHaveLength(4));
    expect([listener.syncs, listener.faults]).toEqual([1, []]);
    expect(await server.stop()).toBe(0);
  });
});
