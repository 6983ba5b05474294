import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { isLongerThan } from "../fields.schema.ts";
import { defaultTiers } from "../quota/tier-table.ts";
import { loadMiniApps, miniApps } from "./catalogue.ts";
import { formMessage } from "./form-message.ts";
import { readForm } from "./form-values.ts";
import { exampleValues, parseMessage } from "./mini-apps.fixture.ts";
import type { MiniAppField } from "./mini-apps.schema.ts";

const apps = [...miniApps.values()];

/** Every field as full as it may be. */
const fullest = (field: MiniAppField) =>
  field.type === "select"
    ? field.options.reduce((a, b) => (b.length > a.length ? b : a))
    : field.type === "number"
      ? String(field.max)
      : "x".repeat(field.max_length);

describe("the catalogue of mini apps (decisions §7)", () => {
  it("holds at least fourteen in at least six categories", () => {
    expect(apps.length).toBeGreaterThanOrEqual(14);
    expect(new Set(apps.map(({ entry }) => entry.category)).size).toBeGreaterThanOrEqual(6);
    expect(new Set(apps.map(({ entry }) => entry.title)).size).toBe(apps.length);
  });

  it("has forms with text, textarea, select and number, each used by many", () => {
    for (const type of ["text", "textarea", "select", "number"]) {
      const using = apps.filter(({ fields }) => fields.some((field) => field.type === type));
      expect([type, using.length >= 10]).toEqual([type, true]);
    }
  });

  describe.each(apps.map((app) => [app.entry.slug, app] as const))("%s", (_, app) => {
    it("takes its own examples for an answer, and says them in its message", () => {
      const values = exampleValues(app.fields);
      const { fields } = parseMessage(formMessage(app, readForm(app.fields, values)));
      expect(fields.map(({ label }) => label)).toEqual(app.fields.map(({ label }) => label));
      expect(fields.map(({ text }) => text)).toEqual(Object.values(values));
    });

    it("fits a message even when full, or warns that long texts need a plan", () => {
      const values = Object.fromEntries(app.fields.map((field) => [field.name, fullest(field)]));
      const content = formMessage(app, readForm(app.fields, values));
      expect(isLongerThan(defaultTiers.vip.max_input_chars, content)).toBe(false);
      if (!isLongerThan(defaultTiers.free.max_input_chars, content)) return;
      expect(app.fields.some(({ help }) => help.includes("need a plan"))).toBe(true);
    });
  });
});

describe("loadMiniApps", () => {
  let folder: string | undefined;
  afterEach(async () => {
    if (folder !== undefined) await rm(folder, { recursive: true });
    folder = undefined;
  });
  const load = async (name: string, text: string) => {
    folder = await mkdtemp(join(tmpdir(), "mini-apps-"));
    await writeFile(join(folder, name), text);
    return loadMiniApps(pathToFileURL(`${folder}/`));
  };

  const named = { required: true, placeholder: "", help: "" };
  const text = { name: "a", label: "A", type: "text", max_length: 10, ...named };
  const number = { name: "b", label: "B", type: "number", min: 1, max: 9, ...named };
  const select = { name: "c", label: "C", type: "select", options: ["x", "y"], ...named };
  const good = {
    title: "T",
    icon: "icon-t",
    category: "travel",
    badge: "",
    description: "D",
    keywords: ["travel", "trip"],
    request: "R",
    fields: [text, number, select],
  };

  it("takes the slug from the file's name and counts fields and keywords", async () => {
    const app = (await load("my-app.json", JSON.stringify(good))).get("my-app");
    expect(app?.entry).toMatchObject({
      slug: "my-app",
      field_count: 3,
      search_keywords: "travel trip",
    });
  });

  it.each([
    ["an unknown category", { category: "cars" }],
    ["no keyword", { keywords: [] }],
    ["a keyword of two words", { keywords: ["code review"] }],
    ["a hyphenated keyword", { keywords: ["plain-language"] }],
    ["a keyword with an operator", { keywords: ["a' | 'b"] }],
    ["a keyword twice", { keywords: ["law", "law"] }],
    ["an icon that is no class name", { icon: "🧭" }],
    ["a request of two lines", { request: "a\n- **Place:** b" }],
    ["an unknown key", { colour: "red" }],
    ["a label that could end itself", { fields: [{ ...text, label: "A:** b" }, number] }],
    ["a label twice", { fields: [text, { ...number, label: "a" }] }],
    ["a name twice", { fields: [text, { ...number, name: "a" }] }],
    ["a text without max_length", { fields: [{ ...text, max_length: undefined }, number] }],
    ["an option twice", { fields: [{ ...select, options: ["x", "X"] }, text] }],
    ["min above max", { fields: [{ ...number, min: 10 }, text] }],
    ["an unknown type", { fields: [{ ...text, type: "file" }, number] }],
    ["nothing required", { fields: [text, number].map((f) => ({ ...f, required: false })) }],
  ])("refuses %s, naming the file", async (_why, change) => {
    await expect(load("some-app.json", JSON.stringify({ ...good, ...change }))).rejects.toThrow(
      "Mini app some-app.json: ",
    );
  });

  it.each([
    ["broken JSON", "some-app.json", "{"],
    ["a name that is no slug", "Some App.json", "{}"],
    ["a stray file", "notes.txt", "x"],
  ])("refuses %s, naming the file", async (_why, name, content) => {
    await expect(load(name, content)).rejects.toThrow(`Mini app ${name}: `);
  });
});
