import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, rm, rmdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { createTableModel } from "./table-model.ts";
import { cosine } from "./vectors.ts";

const FILE = join(import.meta.dirname, "words.bin");
/** A new table needs a new id, since vectors of two tables can't be compared (0079). */
const DIGESTS = { "words-1": "6aa4ce28450405faa6bd2fab514cb8ed0aa14375f38444906c25ac53adbb7ae7" };

const model = createTableModel();
afterAll(() => model.close());

const vectorOf = async (text: string) => {
  const [vector = new Int8Array()] = await model.embed([text]);
  return vector;
};
const closeness = async (text: string, other: string) =>
  cosine(await vectorOf(text), await vectorOf(other));

it("gives one vector per text, in the order of the texts", async () => {
  const vectors = await model.embed(["bake a cake", "repair my car", "bake a cake"]);
  expect(vectors.map(({ length }) => length)).toEqual(Array(3).fill(model.dimensions));
  expect(vectors[2]).toEqual(vectors[0]);
  expect(vectors[1]).not.toEqual(vectors[0]);
});

it("places a wish nearer to its meaning than to other souls", async () => {
  const tutor = "A patient tutor who leads pupils to answers\nEducation\ntutoring";
  const listener = "A calm companion for bad days who does not judge\nlistening";
  const [homework, sad] = ["homework help", "I feel sad and lonely"];
  expect(await closeness(homework, tutor)).toBeGreaterThan(await closeness(homework, listener));
  expect(await closeness(sad, listener)).toBeGreaterThan(await closeness(sad, tutor));
  expect(await closeness(homework, tutor)).toBeGreaterThan(model.floor);
  expect(await closeness("homework help", "wine and cheese from France")).toBeLessThan(model.floor);
});

describe("an unknown word", () => {
  it.each(["homwork", "homeworkk", "hoemwork", "homewprk"])(
    "%s is taken for its neighbour",
    async (slip) => {
      expect(await vectorOf(`${slip} help`)).toEqual(await vectorOf("homework help"));
    },
  );

  it("is left out if it has no neighbour, or stands in a long text", async () => {
    expect(await vectorOf("homework xqzvkw")).toEqual(await vectorOf("homework"));
    const long = "a patient tutor leads pupils to answers with questions and never with a solution";
    expect(await vectorOf(`${long} homwork`)).toEqual(await vectorOf(long));
  });

  it("of many letters is left out at once", async () => {
    expect(await vectorOf(`homework ${"ﬃ".repeat(3_900)}`)).toEqual(await vectorOf("homework"));
  });

  it("alone gives a vector of zeros, which is close to nothing", async () => {
    expect(new Set(await vectorOf("xqzvkw 🙂"))).toEqual(new Set([0]));
    expect(await closeness("", "homework")).toBe(0);
  });
});

it("ignores case, accents and the kind of apostrophe", async () => {
  expect(await vectorOf("CAFÉ: I can’t cook")).toEqual(await vectorOf("cafe: i can't cook"));
});

it("answers calls that overlap", async () => {
  const texts = Array.from({ length: 40 }, (_, nth) => `recipe number ${nth}`);
  const [many, ...single] = await Promise.all([model.embed(texts), ...texts.map(vectorOf)]);
  expect(single).toEqual(many);
});

it("has another id when the table changes", () => {
  expect({ [model.id]: hash("sha256", readFileSync(FILE)) }).toMatchObject(DIGESTS);
});

describe("without a whole table the model is off, and says why:", () => {
  const bytes = readFileSync(FILE);
  const tableOf = async (content: Uint8Array) => {
    const folder = await mkdtemp(join(tmpdir(), "table-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, "words.bin");
    await writeFile(file, content);
    return file;
  };

  it("a file that is missing", () => {
    expect(createTableModel("/nowhere/words.bin")).toMatchObject({
      state: "off",
      reason: "/nowhere/words.bin is missing",
    });
  });

  it.each([
    ["is cut off", bytes.subarray(0, -1)],
    ["is empty", bytes.subarray(0, 0)],
    ["is something else", Buffer.concat([Buffer.from("else"), bytes.subarray(4)])],
  ])("a file that %s", async (_, content) => {
    const broken = createTableModel(await tableOf(content));
    await expect(broken.embed(["homework"])).rejects.toThrow("is no table of words");
    expect(broken).toMatchObject({ state: "off", reason: expect.stringContaining("is no table") });
  });
});

it("goes on after a failure of the system that passes", async () => {
  const folder = await mkdtemp(join(tmpdir(), "table-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "words.bin");
  await mkdir(file);
  const failing = createTableModel(file);
  onTestFinished(() => failing.close());
  await expect(failing.embed(["homework"])).rejects.toThrow("EISDIR");
  expect(failing).toMatchObject({ state: "warming", reason: expect.stringContaining("EISDIR") });
  await rmdir(file);
  await copyFile(FILE, file);
  expect(await failing.embed(["homework"])).toEqual([await vectorOf("homework")]);
  expect(failing).toMatchObject({ state: "ready", reason: null });
});
