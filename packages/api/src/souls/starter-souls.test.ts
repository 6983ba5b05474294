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
  it("count their ids from 1 and have one kebab-case slug, name and emoji each", () => {
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
  it("are at least twelve, four of them folders, each with a title of its own", () => {
    expect(souls.length).toBeGreaterThanOrEqual(12);
    expect(souls.filter(isFolder).length).toBeGreaterThanOrEqual(4);
    expect(new Set(souls.map(({ title }) => title.toLowerCase())).size).toBe(souls.length);
  });

  describe.each(souls)("$title", (soul) => {
    it("has a category slug as its role", () => {
      expect(categorySlugs).toContain(soul.role);
    });

    it("keeps the limits of decisions §2", () => {
      expect(soul.title.trim()).toBe(soul.title);
      expect(characters(soul.title)).toBeLessThanOrEqual(120);
      expect(characters(soul.description)).toBeLessThanOrEqual(2_000);
      expect(characters(soul.content)).toBeLessThanOrEqual(200_000);
      expect(characters(soul.compatibility)).toBeLessThanOrEqual(100);
      expect(soul.domain).toBe(soul.domain.trim().toLowerCase());
    });

    it("says enough to have a character and little enough to be read", () => {
      const text = isFolder(soul) ? Object.values(filesOf(soul)).join("\n") : soul.content;
      const words = text.match(/\p{L}[\p{L}'-]*/gu) ?? [];
      expect(words.length).toBeGreaterThanOrEqual(150);
      expect(words.length).toBeLessThanOrEqual(500);
    });

    it("is detected as what it is", () => {
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

  it("reads both forms, whatever the line ends, in the order of their names", async () => {
    const loaded = await load({
      "b.md": `---\n${front}\n---\n\n# B\n\nText --- more\n`.replaceAll("\n", "\r\n"),
      "a/soul.json": JSON.stringify(about),
      "a/SOUL.md": "# A\n",
      "a/RULES.md": "None.\n",
      ".left-behind": "",
    });
    expect(loaded).toEqual([
      { ...about, content: JSON.stringify({ "SOUL.md": "# A\n", "RULES.md": "None.\n" }) },
      { ...about, content: "# B\n\nText --- more\n" },
    ]);
  });

  const bad: [why: string, file: string, files: Record<string, string>][] = [
    ["no front matter", "x.md", { "x.md": "# X\n" }],
    ["a line that is no key and value", "x.md", { "x.md": `---\n${front}\noops\n---\nX\n` }],
    ["a key given twice", "x.md", { "x.md": `---\n${front}\ntitle: again\n---\nX\n` }],
    ["an unknown key", "x.md", { "x.md": `---\n${front}\nauthor: me\n---\nX\n` }],
    ["an unknown role", "x.md", { "x.md": `---\n${front.replace("travel", "pirate")}\n---\nX\n` }],
    ["no text", "x.md", { "x.md": `---\n${front}\n---\n \n` }],
    ["a stray file", "x.txt", { "x.txt": "X" }],
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
