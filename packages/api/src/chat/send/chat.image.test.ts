import { expect, it } from "vitest";
import { failureOf, say, sayOnPage, signedIn } from "../../testing/chat-hub.ts";
import { describeRoom } from "../../testing/describe-chat.ts";
import { everyText } from "../../testing/every-text.ts";

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

/** Images in messages (decisions §5, Images). */
describeRoom("an image in POST /api/chat", {}, (hub, vera, room) => {
  it.each([
    ["png", uri("image/png", file.png)],
    ["jpeg", uri("image/jpeg", file.jpeg)],
    ["gif", uri("image/gif", file.gif)],
    ["webp", uri("image/webp", file.webp)],
    ["3,750,000 bytes", uri("image/png", png(MAX_BYTES))],
  ])("is accepted as %s", async (_, image) => {
    expect((await say(vera, room, "Look.", { image })).status).toBe(200);
    expect(hub.provider.requests.at(-1)?.messages.at(-1)?.images).toEqual([image]);
  });

  it.each([
    ["with the signature of another media type", uri("image/png", file.jpeg)],
    ["of an unsupported type", uri("image/svg+xml", Buffer.from("<svg/>"))],
    ["of text/html", uri("text/html", Buffer.from("<p>"))],
    ["of the type image/constructor", uri("image/constructor", file.png)],
    ["in unpadded base64", uri("image/png", file.png).replace(/=+$/, "")],
    ["with a line break in it", uri("image/png", file.png).replace("=", "\n=")],
    [
      "in base64url",
      uri("image/png", Buffer.concat([file.png, Buffer.from("fbff", "hex")]))
        .replaceAll("+", "-")
        .replaceAll("/", "_"),
    ],
    ["as a URL", "https://example.org/cat.png"],
    ["with a charset", uri("image/png;charset=utf-8", file.png)],
    ["that is empty", ""],
    ["without data", "data:image/png;base64,"],
    ["of 3,750,001 bytes", uri("image/png", png(MAX_BYTES + 1))],
  ])("is refused %s", async (_, image) => {
    const requests = hub.provider.requests.length;
    expect(failureOf(await say(vera, room, "Look.", { image }))).toEqual([400, "image_invalid"]);
    expect(hub.provider.requests.length).toBe(requests);
  });

  it("is refused in a body above 6 MB", async () => {
    const answer = await say(vera, room, "Look.", { image: "a".repeat(6_400_000) });
    expect(failureOf(answer)).toEqual([413, "body_too_large"]);
  });

  it("is refused for a free account, and so is deep think", async () => {
    const free = await signedIn(hub, "fred");
    const image = await sayOnPage(free, room, "Look.", { image: uri("image/png", file.png) });
    expect(failureOf(image)).toEqual([403, "image_not_allowed"]);
    const deep = await sayOnPage(free, room, "Think.", { deep_think: true });
    expect(failureOf(deep)).toEqual([403, "deep_think_not_allowed"]);
  });

  it("is neither stored nor logged", async () => {
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
