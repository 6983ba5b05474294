import { hash } from "node:crypto";
import { rawZip } from "@soul-hub/soul-formats/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { ruleDatabase } from "../../testing/test-database.ts";
import { type PeopledHub, startPeopledHub } from "../souls.fixture.ts";
import {
  cardPicture,
  cardText,
  exportFile,
  importFile,
  storedPackages,
} from "./exchange.fixture.ts";

const codeOf = ({ status, body }: { status: number; body?: { error?: string } }) =>
  status === 200 ? 200 : [status, body?.error];

describe("souls as files", () => {
  const database = ruleDatabase();
  let hub: PeopledHub;
  let ada: Actor;
  let bob: Actor;
  let count = 0;
  beforeAll(async () => {
    hub = await startPeopledHub(database);
  });
  beforeEach(async () => {
    ada = await hub.member(`ada${++count}`);
    bob = await hub.member(`bob${count}`);
  });
  afterAll(() => hub.close());

  const publish = (fields: object = {}) => hub.publish(fields, ada);
  const read = (id: number, reader = ada) => hub.read(id, reader);
  const versions = async (id: number) => (await ada.get(`/api/versions?soul_id=${id}`)).body.data;
  const texts = ["title", "description", "content", "role", "domain", "compatibility", "file_type"];
  const textsOf = (soul: Record<string, unknown>) =>
    Object.fromEntries(texts.map((name) => [name, soul[name]]));

  it.each(["zip", "charx", "card-png", "card-json", "card-v2-json"])(
    "an export as %s is the same soul when somebody else imports it, and private",
    async (format) => {
      const id = await publish({
        title: "Keeper of the Light",
        description: "Keeps. ".repeat(100),
        content: '{ "STYLE.md": "Few words.\\r\\n", "SOUL.md": "You keep the light. 🦊" }',
        role: "storytelling",
        domain: "sea",
        compatibility: "claude",
      });
      const { bytes, headers } = await exportFile(hub, bob, id, { format });
      const { body } = await importFile(bob, bytes);
      expect(body).toMatchObject({ success: true, changed: true, warnings: [] });
      const copy = await read(body.id, bob);
      expect(textsOf(copy)).toEqual(textsOf(await read(id)));
      expect(copy).toMatchObject({ is_public: 0, content_sha256: hash("sha256", copy.content) });
      const extension = format.startsWith("card") ? format.split("-").at(-1) : format;
      expect(headers.get("content-disposition")).toBe(
        `attachment; filename="keeper-of-the-light-${id}.${extension}"`,
      );
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    },
  );

  it.each(["claude-md", "agents-md", "copilot-md", "md", "skill-md", "cursor-mdc"])(
    "an export as %s keeps the content",
    async (format) => {
      const content = '{"SOUL.md":"---\\nname: x\\n---\\nBe kind.","STYLE.md":"# Few\\r\\n"}';
      const { bytes, headers } = await exportFile(hub, bob, await publish({ content }), { format });
      expect(headers.get("content-type")).toBe("text/markdown; charset=utf-8");
      const { body } = await importFile(bob, bytes);
      expect((await read(body.id, bob)).content).toBe(content);
    },
  );

  it("a card becomes a folder, and leaves byte for byte", async () => {
    const picture = cardPicture();
    const { body } = await importFile(ada, picture, {}, { "content-type": "image/png" });
    expect(body).toMatchObject({
      format: "card-png",
      file_type: "full_soul_folder",
      files: [{ path: "card/card.png", size: picture.length, kept: "package" }],
      url: `${hub.hub.config.baseUrl}/soul/${body.id}`,
    });
    const soul = await read(body.id);
    expect(soul).toMatchObject({
      title: "Orla",
      description: "A keeper.",
      content:
        '{"SOUL.md":"{{char}} keeps the light for {{user}}.","GREETING.md":"Come in, <USER>."}',
      has_package: true,
      is_public: 0,
    });
    expect(soul).not.toHaveProperty("package_id");
    const { bytes } = await exportFile(hub, ada, body.id, { format: "card-png" });
    expect(Buffer.compare(bytes, picture)).toBe(0);
  });

  it("an import into a soul is one version; none if nothing changed", async () => {
    const { body: first } = await importFile(ada, cardText());
    const again = await importFile(ada, cardText(), { soul_id: first.id });
    expect(again.body).toMatchObject({ id: first.id, changed: false });
    expect(await versions(first.id)).toEqual([]);
    const { body } = await importFile(ada, cardText({ scenario: "A storm." }), {
      soul_id: first.id,
    });
    expect(body).toMatchObject({ id: first.id, changed: true });
    expect(await versions(first.id)).toMatchObject([{ number: 1, has_package: true }]);
    // The package alone is a change, too.
    const other = cardText({ scenario: "A storm.", alternate_greetings: ["Oh."] });
    expect((await importFile(ada, other, { soul_id: first.id })).body.changed).toBe(true);
    expect((await versions(first.id)).length).toBe(2);
  });

  it("an import into a soul keeps what the file does not name", async () => {
    const id = await publish({
      title: "Orla",
      domain: "sea",
      role: "storytelling",
      content: "Old.",
    });
    await importFile(ada, "# Another heading\n\nNew.", { soul_id: id });
    expect(await read(id)).toMatchObject({
      title: "Orla",
      domain: "sea",
      role: "storytelling",
      content: "# Another heading\n\nNew.",
      is_public: 1,
    });
    const { body: card } = await importFile(ada, cardText());
    await importFile(ada, "New.", { soul_id: card.id });
    expect(await read(card.id)).toMatchObject({ content: "New.", has_package: true });
  });

  it("an import into a soul that changed meanwhile is refused", async () => {
    const id = await publish();
    const { content_sha256 } = await read(id);
    await ada.put(`/api/soul/${id}`, { content: "Changed." });
    const sent = await importFile(ada, "New.", { soul_id: id, expected_sha256: content_sha256 });
    expect(codeOf(sent)).toEqual([409, "soul_changed"]);
    const now = (await read(id)).content_sha256;
    expect(codeOf(await importFile(ada, "New.", { soul_id: id, expected_sha256: now }))).toBe(200);
  });

  it("a dry run reports the same and changes nothing", async () => {
    const before = await storedPackages(hub);
    const { body } = await importFile(ada, cardText(), { dry_run: 1 });
    expect(body).toMatchObject({ id: null, url: null, changed: true, format: "card-json" });
    expect((await ada.get("/api/my-souls")).body.total).toBe(0);
    expect(await storedPackages(hub)).toEqual(before);
  });

  it("a dry run shows the soul that an import would make", async () => {
    const seen = async (file: string) => (await importFile(ada, file, { dry_run: 1 })).body.preview;
    const { body } = await importFile(ada, cardText());
    const { title, content } = await read(body.id);
    expect(await seen(cardText())).toEqual({ title, content, character: title });
    const { data, ...card } = JSON.parse(cardText());
    const named = JSON.stringify({ ...card, data: { ...data, nickname: "Ori" } });
    expect((await seen(named)).character).toBe("Ori");
    expect(await seen("# Notes")).toEqual({ title: "Notes", content: "# Notes", character: null });
    expect(body.preview).toBeNull();
  });

  it("a new soul is public only if asked for", async () => {
    const { body } = await importFile(ada, "# Orla", { is_public: 1 });
    expect(await read(body.id, bob)).toMatchObject({
      title: "Orla",
      is_public: 1,
      has_package: false,
    });
  });

  it("an Idempotency-Key imports a file once", async () => {
    const key = { "idempotency-key": "import-1" };
    const first = await importFile(ada, "# Orla", {}, key);
    expect((await importFile(ada, "# Orla", {}, key)).body).toEqual(first.body);
    expect((await ada.get("/api/my-souls")).body.total).toBe(1);
    expect(codeOf(await importFile(ada, "# Other", {}, key))).toEqual([
      422,
      "idempotency_mismatch",
    ]);
  });

  it.each([
    ["multipart/form-data; boundary=x", 415, "unsupported_media_type"],
    ["text/plain", 415, "unsupported_media_type"],
    ["application/zip", 400, "import_invalid"],
  ])("a body of %s that is no file is %i", async (type, status, code) => {
    expect(codeOf(await importFile(ada, "", {}, { "content-type": type }))).toEqual([status, code]);
  });

  it.each([
    ["a Markdown", "---\ndescription: Use this: now\n---\n# Orla", ""],
    ["a card", cardText({ name: "" }), ""],
    ["a card in a picture", cardPicture(cardText({ name: "" })), "ccv3"],
    ["CHARX", rawZip([{ path: "card.json", content: cardText({ name: "" }) }]), "card.json"],
    [
      "a package",
      rawZip([
        { path: "SOUL.md", content: "x" },
        { path: "soul.json", content: '{"specVersion": 0.9}' },
      ]),
      "soul.json",
    ],
  ])("%s that is not kept whole is imported with a warning", async (_, file, place) => {
    const { body } = await importFile(ada, file, { dry_run: 1 });
    expect(body.warnings).toEqual([{ path: place, message: expect.any(String) }]);
  });

  it("a text that begins like JSON or a web page is a Markdown only if sent as one", async () => {
    const markdown = { "content-type": "Text/Markdown; charset=utf-8" };
    for (const text of ['[{"name": "Orla", "description": "x"}]', "<!doctype html>\nBe kind."]) {
      const { status, body } = await importFile(ada, text);
      expect([status, body.error]).toEqual([400, "import_invalid"]);
      expect(body.details).toEqual([
        { field: "", message: expect.stringMatching(/^seems to be a /) },
      ]);
      const { body: imported } = await importFile(ada, text, {}, markdown);
      expect((await read(imported.id)).content).toBe(text);
    }
  });

  it("a page of another site cannot import with a cookie", async () => {
    const browser = await hub.signIn(ada.name);
    const crossSite = { "sec-fetch-site": "cross-site" };
    expect(codeOf(await importFile(browser, "# Orla", {}, crossSite))).toEqual([
      403,
      "csrf_rejected",
    ]);
    expect(codeOf(await importFile(browser, "# Orla"))).toBe(200);
  });

  it("a file of more than 16 MiB is refused", async () => {
    expect(codeOf(await importFile(ada, Buffer.alloc(16 * 1024 * 1024 + 1)))).toEqual([
      413,
      "body_too_large",
    ]);
  });

  it("content that a soul cannot hold is refused, and nothing is stored", async () => {
    const before = await storedPackages(hub);
    for (const file of [
      "   ",
      "x".repeat(200_001),
      cardText({ description: "x".repeat(200_001) }),
    ]) {
      expect(codeOf(await importFile(ada, file))).toEqual([400, "import_invalid"]);
    }
    expect((await ada.get("/api/my-souls")).body.total).toBe(0);
    expect(await storedPackages(hub)).toEqual(before);
  });

  it("an export without a credential has an ETag, and answers 304", async () => {
    const id = await publish();
    const { headers } = await hub.guest().get(`/api/soul/${id}/export`);
    const etag = headers.get("etag") ?? "";
    expect(etag).toMatch(/^".+"$/);
    const again = await hub.guest().get(`/api/soul/${id}/export`, { "if-none-match": etag });
    expect(again.status).toBe(304);
    expect((await ada.get(`/api/soul/${id}/export`)).headers.get("etag")).toBeNull();
  });

  it("a former version is exported with its own package", async () => {
    const { body } = await importFile(ada, cardText());
    await importFile(ada, cardText({ scenario: "A storm." }), { soul_id: body.id });
    const [former] = await versions(body.id);
    const { bytes } = await exportFile(hub, ada, body.id, {
      format: "card-json",
      version_id: former.id,
    });
    expect(bytes.toString()).toBe(cardText());
  });
});
