import { readSoulFile, readZip } from "@soul-hub/soul-formats";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { categorySlugs } from "../../souls/categories.ts";
import { cardText, importFile } from "../../souls/exchange/exchange.fixture.ts";
import { sha256 } from "../../souls/packages/packages.queries.ts";
import type { Actor } from "../../testing/actor.ts";
import { type ChatHub, openRoom, say, startChatHub } from "../../testing/chat-hub.ts";
import { testDatabases } from "../../testing/test-database.ts";

const limits = { maxEntries: 1_000, maxBytes: 2 ** 26 };

describe.each(testDatabases())("the archive of an account (%s)", (database) => {
  let hub: ChatHub;
  let ada: Actor;
  let bob: Actor;
  beforeAll(async () => {
    hub = await startChatHub({ database });
    ada = await hub.vip("ada");
    bob = await hub.vip("bob");
  });
  afterAll(() => hub.close());

  const download = async (actor: Actor, query = "") => {
    const response = await fetch(`${hub.url}/api/export${query}`, {
      headers: { authorization: `Bearer ${actor.apiKey}` },
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const files = new Map(
      (await readZip(bytes, limits)).map(({ path, bytes: content }) => [
        path,
        Buffer.from(content),
      ]),
    );
    const linesOf = (path: string) =>
      (files.get(path)?.toString() ?? "")
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    return {
      response,
      bytes,
      files,
      linesOf,
      manifest: JSON.parse(files.get("manifest.json")?.toString() ?? "{}"),
    };
  };

  it("holds souls with all versions and packages, rooms, likes and ratings", async () => {
    const { body } = await importFile(ada, cardText({ scenario: "A storm." }));
    await importFile(ada, cardText(), { soul_id: body.id });
    const room = await openRoom(bob);
    await say(ada, room, "Is it dark?");
    await say(bob, { ...room, session_token: "other" }, "Bob's own room.");
    await ada.post("/api/like", { soul_id: room.soul_id });
    await ada.post("/api/rate", { soul_id: room.soul_id, rating: 4 });
    const { response, manifest, files, linesOf } = await download(ada);
    expect(response.headers.get("content-type")).toBe("application/zip");
    expect(manifest).toMatchObject({
      format: "soul-hub-archive",
      v: 1,
      hub: hub.hub.config.baseUrl,
      username: "ada",
      counts: { souls: 1, versions: 1, rooms: 1, lines: 2, likes: 1, ratings: 1 },
      unchecked: 0,
    });
    const versions = linesOf(`souls/${body.id}/versions.ndjson`);
    expect(versions).toMatchObject([
      {
        number: 1,
        is_current: false,
        package: [{ path: "card/card.json", sha256: sha256(cardText({ scenario: "A storm." })) }],
      },
      {
        number: 2,
        is_current: true,
        package: [{ path: "card/card.json", sha256: sha256(cardText()) }],
      },
    ]);
    expect(
      files.get(`souls/${body.id}/packages/${versions[0].package[0].sha256}`)?.toString(),
    ).toBe(cardText({ scenario: "A storm." }));
    expect(files.get(`souls/${body.id}/current/SOUL.md`)?.toString()).toBe(
      "{{char}} keeps the light for {{user}}.",
    );
    expect(linesOf("rooms/1.ndjson")).toMatchObject([
      { kind: "room", soul_id: room.soul_id, session_token: "lobby", is_mine: true },
      { role: "user", is_mine: true, sender_name: "ada", content: "Is it dark?" },
      { role: "assistant", is_mine: false },
    ]);
    expect(linesOf("ratings.ndjson")).toMatchObject([{ soul_id: room.soul_id, rating: 4 }]);
  });

  it("names the size and SHA-256 of each file, in a manifest that comes last", async () => {
    const { files, manifest } = await download(ada);
    expect([...files.keys()].at(-1)).toBe("manifest.json");
    files.delete("manifest.json");
    expect(manifest.files).toEqual(
      [...files].map(([path, bytes]) => ({ path, size: bytes.length, sha256: sha256(bytes) })),
    );
  });

  it("holds no secret", async () => {
    const key = {
      provider: "openai-compatible",
      api_key: "sk-my-secret",
      base_url: hub.provider.url,
      text_model: "own-model",
    };
    await ada.put("/api/byok", key);
    const { files } = await download(ada);
    const everything = [...files.values()].map((bytes) => bytes.toString("latin1")).join("\n");
    expect(everything).toContain("own-model");
    for (const secret of ["sk-my-secret", ada.apiKey, "argon2", "sealed", "hash_"]) {
      expect(everything).not.toContain(secret);
    }
  });

  it("holds the parts that the caller asks for", async () => {
    const { files } = await download(ada, "?include=social");
    expect([...files.keys()]).toEqual([
      "account.json",
      "providers.json",
      "likes.ndjson",
      "ratings.ndjson",
      "manifest.json",
    ]);
  });

  it("is no file that the import of souls takes", async () => {
    const { bytes } = await download(ada);
    await expect(readSoulFile(bytes, categorySlugs)).rejects.toThrow("use /api/import");
  });
});
