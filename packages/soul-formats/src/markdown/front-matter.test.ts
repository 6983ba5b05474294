import { describe, expect, it } from "vitest";
import { exportSoul, newSoulTexts, readSoulFile } from "../index.ts";
import { names, roles } from "../laws.fixture.ts";

const NOT_YAML = "has front matter that is not quite YAML; its lines are read as texts";
const UNREAD = "begins like front matter that cannot be read, and stays part of the text";
const BODY = "# Lamp\n\nBe bright.";
const read = (text: string) => readSoulFile(Buffer.from(text), roles);
const skill = (line: string) => `---\nname: lamp-helper\n${line}\n---\n\n${BODY}`;

describe("front matter that is not quite YAML", () => {
  it.each([
    "Use this: when lamps fail",
    "@lamp answers",
    "`lamp` answers",
    "%lamp answers",
    "*lamp* answers",
    "[beta] lamp",
    "[beta]",
    "{{char}} answers",
    "{{char}}",
    '"Lamp" helper',
    "!important lamps",
    "&important lamps",
    "#1 lamp helper",
    "Answers in channel #general and more",
    "> lamp",
    "- lamp",
    "Lamps:\tbright: always",
  ])("has its lines read as texts: %s", async (description) => {
    const file = skill(`description: ${description}`);
    const soul = await read(file);
    expect(soul.fields.description).toBe(description.replace("\t", " "));
    expect(soul.content).toBe(BODY);
    expect(soul.warnings).toEqual([{ path: "", message: NOT_YAML }]);
    expect(soul.package.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual([file]);
  });

  it.each([
    ["no blank after the colon", "description:Use lamps", "Use lamps"],
    ["a tab as indentation", "description:\n\tUse lamps\n\tand oil", "Use lamps and oil"],
    ["a comment in a second line", "description: Use\n  #1 lamps\n  only", "Use #1 lamps only"],
    ["a field that is there twice", "description: Use\ndescription: lamps", "Use lamps"],
    ["a pattern in another field", "globs: *.ts\ndescription: Use", "Use"],
    ["another field at fault", "license: @mit\ndescription: >\n  Use\n  lamps", "Use lamps\n"],
  ])("keeps the whole text: %s", async (_, line, description) => {
    const soul = await read(skill(line));
    expect(soul.fields.description).toBe(description);
    expect(soul.content).toBe(BODY);
    expect(soul.warnings).toEqual([{ path: "", message: NOT_YAML }]);
  });

  it("stays in the text with a warning where lines have no name", async () => {
    for (const file of [
      skill("description Use lamps"),
      `---\nname: lamp\n${BODY}`,
      skill(`description: ${"x".repeat(17_000)}`),
    ]) {
      const soul = await read(file);
      expect(soul.content).toBe(file);
      expect(soul.warnings).toEqual([{ path: "", message: UNREAD }]);
    }
  });
});

describe("front matter", () => {
  it.each(["\ufeff", "\n", " \r\n\n", "\ufeff\n"])("counts after %j", async (before) => {
    const soul = await read(`${before}${skill("description: Use lamps")}`);
    expect(soul).toMatchObject({ content: BODY, fields: { description: "Use lamps" } });
    expect(soul.warnings).toEqual([]);
  });

  it("is none after blank lines without a name, title or description", async () => {
    const text = "\n\n---\nScene one: the tower\n---\nThe story begins";
    expect(await read(text)).toMatchObject({ content: text, package: [] });
  });

  it.each([
    ["12", "12"],
    ["1.0", "1.0"],
    ["true", "true"],
    ["'12'", "12"],
    ["Use\tlamps", "Use\tlamps"],
    ["lamps # a comment", "lamps"],
  ])("has the value %s as the text %j", async (value, description) => {
    const soul = await read(skill(`description: ${value}`));
    expect(soul.fields.description).toBe(description);
    expect(soul.warnings).toEqual([]);
  });

  it.each(["\ufeff", "\n", "---\ndescription: Use this: now\n---\n", "<!doctype html>\n", "[{'"])(
    "never takes the place of content that begins with %j (law 3)",
    async (beginning) => {
      const content = `${beginning}---\nname: x\n---\n${BODY}`;
      const soul = { ...newSoulTexts(await read("x")), content, package: [] };
      for (const format of ["md", "skill-md", "cursor-mdc"] as const) {
        expect(
          (await read(Buffer.from(await exportSoul(format, soul, names)).toString())).content,
        ).toBe(content);
      }
    },
  );
});
