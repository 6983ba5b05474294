import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Actor } from "../testing/actor.ts";
import {
  type ChatHub,
  openRoom,
  type RoomName,
  say,
  sayOnPage,
  signedIn,
  startChatHub,
} from "../testing/chat-hub.ts";
import { everyText } from "../testing/every-text.ts";
import { testDatabases } from "../testing/test-database.ts";

const MAX_BYTES = 3_750_000;
const png = (size = 16) => {
  const file = Buffer.alloc(size);
  file.write("89504e470d0a1a0a", "hex");
  return file;
};
const uri = (type: string, file: Buffer) => `data:${type};base64,${file.toString("base64")}`;
const file = {
  png: png(),
  jpeg: Buffer.from("ffd8ffe000104a464946", "hex"),
  gif: Buffer.from("GIF89a\x01\x00\x01\x00", "latin1"),
  webp: Buffer.from("RIFF\x10\x00\x00\x00WEBPVP8 ", "latin1"),
};

/** Decisions §5, Images. */
describe.each(testDatabases())("an image in POST /api/chat (on %s)", (database) => {
  let hub: ChatHub;
  let vera: Actor;
  let room: RoomName;
  beforeAll(async () => {
    hub = await startChatHub({ database });
    vera = await hub.vip("vera");
    room = await openRoom(vera);
  });
  afterAll(() => hub.close());

  it.each([
    ["png", uri("image/png", file.png)],
    ["jpeg", uri("image/jpeg", file.jpeg)],
    ["gif", uri("image/gif", file.gif)],
    ["webp", uri("image/webp", file.webp)],
    ["3,750,000 bytes", uri("image/png", png(MAX_BYTES))],
  ])("is taken as %s", async (_, image) => {
    const { status, body } = await say(vera, room, "Look.", { image });
    expect([status, body.error]).toEqual([200, undefined]);
    expect(hub.provider.requests.at(-1)?.messages.at(-1)?.images).toEqual([image]);
  });

  it.each([
    ["of another kind than it says", uri("image/png", file.jpeg)],
    ["with a foreign type", uri("image/svg+xml", Buffer.from("<svg/>"))],
    ["that is no image", uri("text/html", Buffer.from("<p>"))],
    ["with a name from Object.prototype", uri("image/constructor", file.png)],
    ["in unpadded base64", uri("image/png", file.png).replace(/=+$/, "")],
    ["with a line break in it", uri("image/png", file.png).replace("=", "\n=")],
    [
      "in base64url",
      uri("image/png", Buffer.concat([file.png, Buffer.from("fbff", "hex")]))
        .replaceAll("+", "-")
        .replaceAll("/", "_"),
    ],
    ["as a link", "https://example.org/cat.png"],
    ["with a charset", uri("image/png;charset=utf-8", file.png)],
    ["that is empty", ""],
    ["that is empty after its head", "data:image/png;base64,"],
    ["of 3,750,001 bytes", uri("image/png", png(MAX_BYTES + 1))],
  ])("is refused %s", async (_, image) => {
    const asked = hub.provider.requests.length;
    const { status, body } = await say(vera, room, "Look.", { image });
    expect([status, body.error]).toEqual([400, "image_invalid"]);
    expect(hub.provider.requests.length).toBe(asked);
  });

  it("is refused as a body of 6 MB and more", async () => {
    const { status, body } = await say(vera, room, "Look.", { image: "a".repeat(6_400_000) });
    expect([status, body.error]).toEqual([413, "body_too_large"]);
  });

  it("needs a pass, like deep think: a free account on the hub's page has neither", async () => {
    const free = await signedIn(hub, "fred");
    const image = await sayOnPage(free, room, "Look.", { image: uri("image/png", file.png) });
    expect([image.status, image.body.error.data.error]).toEqual([403, "image_not_allowed"]);
    const deep = await sayOnPage(free, room, "Think.", { deep_think: true });
    expect([deep.status, deep.body.error.data.error]).toEqual([403, "deep_think_not_allowed"]);
  });

  it("is never stored, nor logged", async () => {
    const image = uri("image/gif", file.gif);
    await vera.post(
      "/api/chat",
      { ...room, content: "Look.", image },
      { "idempotency-key": "once" },
    );
    const stored = (await everyText(hub.hub.database)).map(({ text }) => text);
    expect(stored).toContain("Look.\n\n[image]");
    const bytes = image.slice(image.indexOf(",") + 1);
    for (const text of [...stored, ...hub.log]) {
      expect(text).not.toContain(bytes);
      expect(text).not.toContain("base64");
    }
  });
});
