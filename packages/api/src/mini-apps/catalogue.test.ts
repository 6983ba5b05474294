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

/** Returns the longest valid value of a field. */
const longestValue = (field: MiniAppField) =>
  field.type === "select"
    ? field.options.reduce((a, b) => (b.length > a.length ? b : a))
    : field.type === "number"
      ? String(field.max)
      : "x".repeat(field.max_length);

describe("the catalogue of mini apps (decisions §7)", () => {
  it("has at least 14 apps in at least 6 categories", () => {
    expect(apps.length).toBeGreaterThanOrEqual(14);
    expect(new Set(apps.map(({ entry }) => entry.category)).size).toBeGreaterThanOrEqual(6);
    expect(new Set(apps.map(({ entry }) => entry.title)).size).toBe(apps.length);
  });

  it("uses each type of field in at least 10 apps", () => {
    for (const type of ["text", "textarea", "select", "number"]) {
      const using = apps.filter(({ fields }) => fields.some((field) => field.type === type));
      expect([type, using.length >= 10]).toEqual([type, true]);
    }
  });

  describe.each(apps.map((app) => [app.entry.slug, app] as const))("%s", (_, app) => {
    it("accepts its own examples and puts them into the message", () => {
      const values = exampleValues(app.fields);
      const { fields } = parseMessage(formMessage(app, readForm(app.fields, values)));
      expect(fields.map(({ label }) => label)).toEqual(app.fields.map(({ label }) => label));
      expect(fields.map(({ text }) => text)).toEqual(Object.values(values));
    });

    it("fits the input limit of the free tier, or warns about long texts", () => {
      const values = Object.fromEntries(
        app.fields.map((field) => [field.name, longestValue(field)]),
      );
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

  it("derives the slug from the file name and counts the fields", async () => {
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
    ["a repeated keyword", { keywords: ["law", "law"] }],
    ["an invalid icon", { icon: "🧭" }],
    ["a request of two lines", { request: "a\n- **Place:** b" }],
    ["an unknown key", { colour: "red" }],
    ["a label with Markdown", { fields: [{ ...text, label: "A:** b" }, number] }],
    ["a repeated label", { fields: [text, { ...number, label: "a" }] }],
    ["a repeated name", { fields: [text, { ...number, name: "a" }] }],
    ["a text without max_length", { fields: [{ ...text, max_length: undefined }, number] }],
    ["a repeated option", { fields: [{ ...select, options: ["x", "X"] }, text] }],
    ["min above max", { fields: [{ ...number, min: 10 }, text] }],
    ["an unknown type", { fields: [{ ...text, type: "file" }, number] }],
    ["no required field", { fields: [text, number].map((f) => ({ ...f, required: false })) }],
  ])("refuses %s with an error that names the file", async (_why, change) => {
    await expect(load("some-app.json", JSON.stringify({ ...good, ...change }))).rejects.toThrow(
      "Mini app some-app.json: ",
    );
  });

  it.each([
    ["broken JSON", "some-app.json", "{"],
    ["an invalid file name", "Some App.json", "{}"],
    ["a file of another type", "notes.txt", "x"],
  ])("refuses %s with an error that names the file", async (_why, name, content) => {
    await expect(load(name, content)).rejects.toThrow(`Mini app ${name}: `);
  });
});
