import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { rawZip } from "@soul-hub/soul-formats/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withNamedKey } from "../../accounts/keys/named-key.fixture.ts";
import { keyScopes } from "../../caller/key-scopes.schema.ts";
import { importFile, storedPackages } from "../../souls/exchange/exchange.fixture.ts";
import { sha256 } from "../../souls/packages/packages.queries.ts";
import type { Actor } from "../../testing/actor.ts";
import { type ChatHub, openRoom, say, startChatHub } from "../../testing/chat-hub.ts";
import { eventually } from "../../testing/eventually.ts";
import { PASSWORD } from "../../testing/test-hub.ts";
import {
  archiveOf,
  comparable,
  downloadArchive,
  formerVersion,
  importArchive,
  roomFile,
  soulFiles,
} from "../archive.fixture.ts";

const uploads = async () =>
  (await readdir(tmpdir())).filter((name) => name.startsWith("soul-hub-upload-"));

describe("imports and exports of accounts", () => {
  let hub: ChatHub;
  let ada: Actor;
  // Other tests upload at the same time.
  const { TMPDIR } = process.env;
  beforeAll(async () => {
    process.env.TMPDIR = await mkdtemp(path.join(tmpdir(), "soul-hub-uploads-"));
    hub = await startChatHub();
    ada = await hub.vip("ada");
  });
  afterAll(async () => {
    await hub.close();
    await rm(tmpdir(), { recursive: true });
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  });

  it("run two at once on a server; a third is refused", async () => {
    const { archiveImports } = hub.hub;
    const ended = Promise.withResolvers<void>();
    const running = [1, 2].map(() => archiveImports.run(() => ended.promise));
    const { status, body, headers } = await importArchive(ada, archiveOf({}));
    ended.resolve();
    await Promise.all(running);
    expect([status, body.error]).toEqual([503, "overloaded"]);
    expect(headers.get("retry-after")).toMatch(/^\d+$/);
    // An import that ended, refused or not, makes room for the next one.
    for (const file of [archiveOf({}), new Uint8Array(3), archiveOf({})]) {
      expect((await importArchive(ada, file)).status).not.toBe(503);
    }
    expect((await importArchive(ada, archiveOf({}))).status).toBe(200);
  });

  it("take no compressed body, no form and no more than 64 MiB", async () => {
    const send = async (headers: Record<string, string>) =>
      (await ada.send("POST", "/api/import", "x", headers)).status;
    expect(await send({ "content-type": "application/zip", "content-encoding": "gzip" })).toBe(415);
    expect(await send({ "content-type": "multipart/form-data; boundary=x" })).toBe(415);
    const large = request(`${hub.url}/api/import`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${ada.apiKey}`,
        "content-type": "application/zip",
        "content-length": String(64 * 1024 * 1024 + 1),
      },
    });
    large.on("error", () => {});
    large.flushHeaders();
    const [response] = await once(large, "response");
    expect(response.statusCode).toBe(413);
    large.destroy();
  });

  it("leave no file behind where the client leaves in the midst of the upload", async () => {
    const leaving = request(`${hub.url}/api/import`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${ada.apiKey}`,
        "content-type": "application/zip",
        "content-length": "1000000",
      },
    });
    leaving.on("error", () => {});
    leaving.write("PK");
    await eventually(async () => expect(await uploads()).toHaveLength(1));
    leaving.destroy();
    await eventually(async () => expect(await uploads()).toEqual([]));
    // Its place is free again, as often as this happens.
    for (let nth = 0; nth < 9; nth++) {
      expect((await importArchive(ada, archiveOf({}))).status).toBe(200);
    }
  });

  it("need the main key or a session", async () => {
    const named = await withNamedKey(hub, ada, keyScopes);
    expect((await importArchive(named, archiveOf({}))).body.error).toBe("scope_missing");
    const browser = hub.guest();
    await browser.post("/api/login", {
      username: ada.name,
      password: PASSWORD,
      remember: true,
    });
    const crossSite = await browser.send("POST", "/api/import", new Uint8Array(archiveOf({})), {
      "content-type": "application/zip",
      "sec-fetch-site": "cross-site",
    });
    expect(crossSite.body.error).toBe("csrf_rejected");
  });

  it("export one archive of an account at a time, and another one once that is over", async () => {
    const eve = await hub.vip("eve");
    // What cannot be packed fills the connection, so the download waits for its reader.
    const noise = randomBytes(12_000_000);
    const zip = rawZip([
      { path: "SOUL.md", content: "x" },
      { path: "noise.bin", content: noise, method: 0 },
    ]);
    expect((await importFile(eve, zip)).status).toBe(200);
    const leaving = new AbortController();
    const first = await fetch(`${hub.url}/api/export`, {
      headers: { authorization: `Bearer ${eve.apiKey}` },
      signal: leaving.signal,
    });
    expect(first.status).toBe(200);
    const second = await eve.get("/api/export");
    expect([second.status, second.body.error]).toEqual([429, "rate_limited"]);
    leaving.abort();
    await eventually(() => expect(hub.hub.exportingAccounts.size).toBe(0));
    expect((await downloadArchive(hub, eve)).length).toBeGreaterThan(noise.length);
    const head = await eve.send("HEAD", "/api/export");
    expect(head.status).toBe(200);
    await eventually(() => expect(hub.hub.exportingAccounts.size).toBe(0));
  });

  it("take an archive of the same account here as what is there already", async () => {
    const flo = await hub.vip("flo");
    const room = await openRoom(flo);
    await say(flo, room, "Is it dark?");
    const archive = await downloadArchive(hub, flo);
    const { body } = await importArchive(flo, archive);
    expect([body.souls, body.rooms, body.skipped]).toEqual([
      { created: 0, unchanged: 1 },
      { created: 0, unchanged: 1 },
      [],
    ]);
    expect(await comparable(await downloadArchive(hub, flo), "flo")).toEqual(
      await comparable(archive, "flo"),
    );
    await flo.delete(`/api/soul/${room.soul_id}`);
    const restored = (await importArchive(flo, archive)).body;
    expect([restored.souls.created, restored.rooms.created]).toEqual([1, 1]);
  });

  it("mark imported messages in copies, shares and exports of the room, too", async () => {
    const gil = await hub.vip("gil");
    await importArchive(gil, archiveOf({ ...soulFiles(7), ...roomFile(1) }));
    const [{ id }] = (await gil.get("/api/my-souls")).body.data;
    await gil.put(`/api/soul/${id}`, { is_public: 1 });
    const room = { soul_id: id, session_token: "lobby" };
    const { share_id } = (await gil.post("/api/shares", { ...room, names: true })).body;
    const shared = await hub.guest().get(`/api/share/${share_id}`);
    expect(shared.body.data.messages).toMatchObject([{ sender_name: "gil", imported: true }]);
    await gil.post("/api/room-copy", { ...room, new_session_token: "copy" });
    const copy = await gil.get(`/api/chat?soul_id=${id}&session_token=copy`);
    expect(copy.body.messages).toMatchObject([{ imported: true }]);
    const exported = await gil.get(`/api/chat-export?soul_id=${id}&session_token=lobby&format=md`);
    expect(exported.body.data.text).toContain("**gil** (imported)");
  });

  it("leave no bytes of a soul that is deleted, nor of its former versions", async () => {
    const ida = await hub.vip("ida");
    const before = await storedPackages(hub.hub.database);
    const face = (bytes: string) => ({ path: "face.png", sha256: sha256(bytes) });
    const soul = soulFiles(7, {
      former: [{ ...formerVersion, package: [face("old")] }],
      present: { package: [face("new")] },
      files: { "current/face.png": "new", [`packages/${sha256("old")}`]: "old" },
    });
    await importArchive(ida, archiveOf(soul));
    const [{ id }] = (await ida.get("/api/my-souls")).body.data;
    const [packages, files, blobs] = await storedPackages(hub.hub.database);
    expect([packages, files, blobs]).toEqual(before.map((count) => count + 2));
    await ida.delete(`/api/soul/${id}`);
    expect(await storedPackages(hub.hub.database)).toEqual(before);
  });
});
