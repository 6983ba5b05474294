import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { categories, categorySlugs } from "./categories.ts";
import { loadStarterSouls, type StarterSoul } from "./starter-souls.ts";

const souls = await loadStarterSouls();
const isFolder = ({ content }: StarterSoul) => content.startsWith("{");
const filesOf = ({ content }: StarterSoul) => JSON.parse(content) as Record<string, string>;
const characters = (text: string) => [...text].length;

describe("categories", () => {
  it("have ids from 1, unique names, kebab-case slugs and one emoji each", () => {
    expect(categories.map(({ id }) => id)).toEqual(categories.map((_, index) => index + 1));
    expect(categorySlugs.size).toBe(categories.length);
    expect(new Set(categories.map(({ name }) => name)).size).toBe(categories.length);
    for (const { slug, icon } of categories) {
      expect(slug).toMatch(/^[a-z]+(-[a-z]+)*$/);
      expect(icon).toMatch(/^\p{RGI_Emoji}$/v);
    }
  });
});

describe("the starter souls", () => {
  it("are at least twelve with unique titles, at least four of them folders", () => {
    expect(souls.length).toBeGreaterThanOrEqual(12);
    expect(souls.filter(isFolder).length).toBeGreaterThanOrEqual(4);
    expect(new Set(souls.map(({ title }) => title.toLowerCase())).size).toBe(souls.length);
  });

  describe.each(souls)("$title", (soul) => {
    it("has a category slug as its role", () => {
      expect(categorySlugs).toContain(soul.role);
    });

    it("is within the limits of decisions §2", () => {
      expect(soul.title.trim()).toBe(soul.title);
      expect(characters(soul.title)).toBeLessThanOrEqual(120);
      expect(characters(soul.description)).toBeLessThanOrEqual(2_000);
      expect(characters(soul.content)).toBeLessThanOrEqual(200_000);
      expect(characters(soul.compatibility)).toBeLessThanOrEqual(100);
      expect(soul.domain).toBe(soul.domain.trim().toLowerCase());
    });

    it("has between 150 and 500 words", () => {
      const text = isFolder(soul) ? Object.values(filesOf(soul)).join("\n") : soul.content;
      const words = text.match(/\p{L}[\p{L}'-]*/gu) ?? [];
      expect(words.length).toBeGreaterThanOrEqual(150);
      expect(words.length).toBeLessThanOrEqual(500);
    });

    it("is a folder with SOUL.md first, or no JSON", () => {
      if (!isFolder(soul)) {
        expect(() => filesOf(soul)).toThrow();
        return;
      }
      const names = Object.keys(filesOf(soul));
      expect(names[0]).toBe("SOUL.md");
      expect(names).not.toContain("soul.json");
      expect(names.length).toBeLessThanOrEqual(50);
      for (const name of names) expect(name).toMatch(/^[A-Za-z0-9][\w.-]{0,99}$/);
      for (const text of Object.values(filesOf(soul))) expect(text.trim()).not.toBe("");
    });
  });
});

describe("loadStarterSouls", () => {
  let folder: string | undefined;
  afterEach(async () => {
    if (folder !== undefined) await rm(folder, { recursive: true });
    folder = undefined;
  });

  const load = async (files: Record<string, string>) => {
    folder = await mkdtemp(join(tmpdir(), "starter-souls-"));
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    return loadStarterSouls(pathToFileURL(`${folder}/`));
  };
  const about = {
    title: "A: b",
    description: "c",
    role: "travel",
    domain: "d",
    compatibility: "any",
  };
  const front = Object.entries(about)
    .map(([key, value]) => `${key}: ${value}`)
    .join("\n");

  it("reads both forms with any line ends, sorted by name", async () => {
    const loaded = await load({
      "b.md": `---\n${front}\n---\n\n# B\n\nText --- more\n`.replaceAll("\n", "\r\n"),
      "a/soul.json": JSON.stringify(about),
      "a/SOUL.md": "# A\n",
      "a/RULES.md": "None.\n",
      ".hidden": "",
    });
    expect(loaded).toEqual([
      { ...about, content: JSON.stringify({ "SOUL.md": "# A\n", "RULES.md": "None.\n" }) },
      { ...about, content: "# B\n\nText --- more\n" },
    ]);
  });

  const bad: [why: string, file: string, files: Record<string, string>][] = [
    ["no front matter", "x.md", { "x.md": "# X\n" }],
    ["a line without a key", "x.md", { "x.md": `---\n${front}\noops\n---\nX\n` }],
    ["a duplicate key", "x.md", { "x.md": `---\n${front}\ntitle: again\n---\nX\n` }],
    ["an unknown key", "x.md", { "x.md": `---\n${front}\nauthor: me\n---\nX\n` }],
    ["an unknown role", "x.md", { "x.md": `---\n${front.replace("travel", "pirate")}\n---\nX\n` }],
    ["no content", "x.md", { "x.md": `---\n${front}\n---\n \n` }],
    ["a file of another type", "x.txt", { "x.txt": "X" }],
    ["no soul.json", "x/soul.json", { "x/SOUL.md": "X" }],
    ["broken JSON", "x/soul.json", { "x/soul.json": "{", "x/SOUL.md": "X" }],
    ["no SOUL.md", "x", { "x/soul.json": JSON.stringify(about), "x/STYLE.md": "X" }],
    ["a folder in a folder", "x/y", { "x/soul.json": JSON.stringify(about), "x/y/SOUL.md": "X" }],
    [
      "a bad file name",
      "x",
      { "x/soul.json": JSON.stringify(about), "x/SOUL.md": "X", "x/no way": "X" },
    ],
  ];
  it.each(bad)("refuses %s, naming %s", async (_why, file, files) => {
    await expect(load(files)).rejects.toThrow(`Starter soul ${file}: `);
  });
});
