import { rawZip } from "@soul-hub/soul-formats/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ruleDatabase } from "../../testing/test-database.ts";
import { type PeopledHub, startPeopledHub } from "../souls.fixture.ts";
import { cardPicture, cardText, exportFile, importFile } from "./exchange.fixture.ts";

describe("files as other programs write them", () => {
  const database = ruleDatabase();
  let hub: PeopledHub;
  beforeAll(async () => {
    hub = await startPeopledHub(database);
  });
  afterAll(() => hub.close());

  const paths = (body: { files: { path: string }[] }) => body.files.map(({ path }) => path);

  it("a name that is UTF-8 without its flag is kept, and one that is guessed is a warning", async () => {
    const { body } = await importFile(
      hub.ada,
      rawZip([
        { path: "SOUL.md", content: "Be kind." },
        { path: "notes/日本語.txt", content: "x", isMarkedUtf8: false },
        { path: Buffer.from([0x6e, 0x2f, 0x82]), content: "x" },
      ]),
    );
    expect(paths(body)).toEqual(["SOUL.md", "notes/日本語.txt", "n/é"]);
    expect(body.warnings).toEqual([
      { path: "n/é", message: "has a name that is not UTF-8, and was read as CP437" },
    ]);
  });

  it("a skill in a zip of its folder has its description", async () => {
    const text = "---\nname: lamp\ndescription: Lights lamps.\n---\n\n# Lamp\n";
    const { body } = await importFile(hub.ada, rawZip([{ path: "lamp/SKILL.md", content: text }]));
    expect(await hub.read(body.id)).toMatchObject({
      title: "Lamp",
      description: "Lights lamps.",
      content: "# Lamp\n",
    });
  });

  it("a card in a zip is the soul, and leaves byte for byte", async () => {
    const zip = rawZip([{ path: "orla.png", content: cardPicture() }]);
    const { body } = await importFile(hub.ada, zip);
    expect(body).toMatchObject({ format: "card-png" });
    expect(paths(body)).toEqual(["card/card.png", "imported/original.zip"]);
    const { bytes } = await exportFile(hub, hub.ada, body.id, { format: "card-png" });
    expect(Buffer.compare(bytes, cardPicture())).toBe(0);
  });

  it("several cards in a zip are refused by their names", async () => {
    const cards = ["orla.json", "mira.json"].map((path) => ({ path, content: cardText() }));
    const { status, body } = await importFile(hub.ada, rawZip(cards));
    expect([status, body.error]).toEqual([400, "import_invalid"]);
    expect(body.details[0].message).toContain("orla.json, mira.json");
  });
});
