import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { applyPatch } from "diff";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import type { Actor } from "../../../testing/actor.ts";
import { ruleDatabase } from "../../../testing/test-database.ts";
import { type PeopledHub, startPeopledHub, upTo } from "../../souls.fixture.ts";

type Files = Record<string, string>;

interface FileDiff {
  name: string;
  state: string;
  added: number;
  removed: number;
  is_whole: boolean;
  unified: string;
}

const { patch } = inject("services");

/** Applies a diff to the files of the version before, as a reader of the API does. */
function applied(before: Files, diff: FileDiff[]): Files {
  const after = { ...before };
  for (const { name, state, unified } of diff) {
    if (state === "removed") delete after[name];
    else if (unified !== "") {
      const text = applyPatch(before[name] ?? "", unified);
      if (text === false) throw new Error(`The diff does not apply: ${unified}`);
      after[name] = text;
    }
  }
  return after;
}

/** Runs the program `patch` on each input, in a folder that holds the files of before. */
function patched(program: string, before: Files, inputs: string[]): Files {
  const folder = mkdtempSync(path.join(tmpdir(), "soul-hub-patch-"));
  try {
    for (const [name, text] of Object.entries(before)) writeFileSync(path.join(folder, name), text);
    for (const input of inputs) {
      const { status, stdout } = spawnSync(program, ["-p0"], { cwd: folder, input });
      expect([status, String(stdout)]).toEqual([0, expect.any(String)]);
    }
    return Object.fromEntries(
      readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), "utf8")]),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const lines = (count: number, text: string) => upTo(count).map((n) => `${text} ${n}\n`);

describe("GET /api/version-diff", () => {
  const database = ruleDatabase();
  let hub: PeopledHub;
  beforeAll(async () => {
    hub = await startPeopledHub(database);
  });
  afterAll(() => hub.close());

  const edit = (id: number, changes: object) => hub.ada.put(`/api/soul/${id}`, changes);
  const editFiles = (id: number, files: Files) => edit(id, { content: JSON.stringify(files) });
  const compare = (soulId: number, query = "", reader: Actor = hub.guest()) =>
    reader.get(`/api/version-diff?soul_id=${soulId}${query}`);
  /** Publishes one text, changes it to another and returns the files of the comparison. */
  const compareTexts = async (before: string, after: string): Promise<FileDiff[]> => {
    const id = await hub.publish({ content: before });
    await edit(id, { content: after });
    return (await compare(id)).body.data.files;
  };

  it("returns what turns the files of version 2 into those of version 4, byte for byte", async () => {
    const second = {
      "SOUL.md": `${lines(40, "I keep the light").join("")}No line break follows.`,
      "STYLE.md": "One sentence.\r\nNo more.\r\n",
      "OLD.md": "Once.\n",
      "EMPTIED.md": "Soon empty.\n",
      "GONE.md": "",
      "SAME.md": "é\ufeff👩‍👩‍👧\n",
    };
    const fourth = {
      "SOUL.md": second["SOUL.md"].replace("light 20\n", "lamp\n--- 20\n+++ 21\n\n"),
      "STYLE.md": "One sentence.\r\nNo more.",
      "EMPTIED.md": "",
      "SAME.md": second["SAME.md"],
      "NEW.md": "A line\nwithout an end",
      "BLANK.md": "",
    };
    const id = await hub.publish();
    await editFiles(id, second);
    await edit(id, { content: "Between.", note: "Short." });
    await editFiles(id, fourth);
    const { status, body } = await compare(id, "&from=2&to=4");
    expect([status, body.data.from, body.data.to]).toEqual([200, 2, 4]);
    const files: FileDiff[] = body.data.files;
    const back: FileDiff[] = (await compare(id, "&from=4&to=2")).body.data.files;
    for (const [before, diff, after] of [
      [second, files, fourth],
      [fourth, back, second],
    ] as const) {
      expect(applied(before, diff)).toEqual(after);
      if (!patch) continue;
      const texts = diff.map(({ unified }) => unified).filter(Boolean);
      expect(patched(patch, before, texts)).toEqual(after);
      expect(patched(patch, before, [texts.join("")])).toEqual(after);
    }
  });

  it("shows each file with its state, its counts and three lines of context", async () => {
    const before = { "SOUL.md": lines(20, "line").join(""), "STYLE.md": "a\nb\n", "SAME.md": "s" };
    const id = await hub.publish({ content: JSON.stringify(before) });
    const { "STYLE.md": _, ...kept } = before;
    await editFiles(id, {
      "NEW.md": "n\n",
      ...kept,
      "SOUL.md": before["SOUL.md"].replace("line 9\n", "nine\nand a half\n"),
    });
    expect((await compare(id)).body).toEqual({
      success: true,
      data: {
        from: 1,
        to: 2,
        differs_in: ["files"],
        summary: "3 files changed.",
        fields: [],
        files: [
          {
            name: "NEW.md",
            state: "added",
            added: 1,
            removed: 0,
            is_whole: false,
            unified: "--- /dev/null\n+++ NEW.md\n@@ -0,0 +1,1 @@\n+n\n",
          },
          {
            name: "SOUL.md",
            state: "changed",
            added: 2,
            removed: 1,
            is_whole: false,
            unified: [
              "--- SOUL.md\n+++ SOUL.md\n@@ -7,7 +7,8 @@\n line 6\n line 7\n line 8\n",
              "-line 9\n+nine\n+and a half\n line 10\n line 11\n line 12\n",
            ].join(""),
          },
          { name: "SAME.md", state: "same", added: 0, removed: 0, is_whole: false, unified: "" },
          {
            name: "STYLE.md",
            state: "removed",
            added: 0,
            removed: 2,
            is_whole: false,
            unified: "--- STYLE.md\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n",
          },
        ],
      },
    });
  });

  it("shows the fields that differ", async () => {
    const id = await hub.publish({ title: "Orla", description: "d", domain: "sea" });
    await edit(id, { title: "Orla II", domain: "sky", role: "travel", nft_contract: null });
    expect((await compare(id)).body.data.fields).toEqual([
      { name: "title", before: "Orla", after: "Orla II" },
      { name: "role", before: "Other", after: "travel" },
      { name: "domain", before: "sea", after: "sky" },
    ]);
  });

  it("compares one Markdown with the SOUL.md of a folder", async () => {
    const [soul, style] = await compareTexts("a\nb\n", '{"SOUL.md": "a\\nc\\n", "STYLE.md": "s"}');
    expect([soul?.name, soul?.state, soul?.added, soul?.removed]).toEqual([
      "SOUL.md",
      "changed",
      1,
      1,
    ]);
    expect([style?.name, style?.state]).toEqual(["STYLE.md", "added"]);
  });

  it("says what differs where no text does", async () => {
    const id = await hub.publish({ content: '{"A.md":"a","B.md":"b"}' });
    const differences = async (changes: object) => {
      expect((await edit(id, changes)).status).toBe(200);
      const { differs_in, summary } = (await compare(id)).body.data;
      return [differs_in, summary];
    };
    const one = { content: "b" };
    expect(await differences({ title: "A soul" })).toEqual([[], "Nothing changed."]);
    expect(await differences({ content: '{"B.md":"b","A.md":"a"}' })).toEqual([
      ["file_order"],
      "Other order of files.",
    ]);
    expect(await differences({ content: '{"B.md": "b", "A.md": "a"}' })).toEqual([
      ["json"],
      "Same files, as other JSON.",
    ]);
    expect(await differences({ role: "travel", domain: "sea" })).toEqual([
      ["fields"],
      "Only role, domain.",
    ]);
    await edit(id, one);
    expect(await differences({ content: '{"SOUL.md":"b"}' })).toEqual([
      ["file_type"],
      "Same text, as a folder.",
    ]);
    expect(await differences(one)).toEqual([["file_type"], "Same text, as one Markdown."]);
    expect(await differences({ content: '{"B.md":"c","SOUL.md":"b"}', title: "T" })).toEqual([
      ["files", "fields", "file_type"],
      "1 file changed; title; as a folder.",
    ]);
  });

  it("tells a missing line break at the end from a present one", async () => {
    const [file] = await compareTexts("a\nb", "a\nb\n");
    expect(file).toMatchObject({ state: "changed", added: 1, removed: 1 });
    expect(file?.unified).toMatch(/\n-b\n\\ No newline at end of file\n\+b\n$/);
  });

  it("removes and adds all lines beyond 4,000 edits", async () => {
    const [before, after] = [lines(2_001, "old"), lines(2_000, "new")];
    const [whole] = await compareTexts(before.join(""), `${after.join("")}end`);
    expect(whole).toMatchObject({
      state: "changed",
      added: 2_001,
      removed: 2_001,
      is_whole: true,
    });
    const unified = whole?.unified ?? "";
    expect(applyPatch(before.join(""), unified)).toBe(`${after.join("")}end`);
    const [compared] = await compareTexts(
      lines(4_000, "a").join(""),
      `${lines(4_000, "a").join("")}b\n`,
    );
    expect(compared).toMatchObject({ added: 1, removed: 0, is_whole: false });
  });

  it("compares a version with itself and with a later one", async () => {
    const id = await hub.publish({ content: "one\n" });
    await edit(id, { content: "two\n" });
    const same = (await compare(id, "&from=2")).body.data;
    expect([same.from, same.to, same.files[0].state]).toEqual([2, 2, "same"]);
    const back = (await compare(id, "&from=2&to=1")).body.data;
    expect(back.files[0].unified).toContain("-two\n+one\n");
  });

  it("compares the version before by default", async () => {
    const id = await hub.publish({ title: "one" });
    await edit(id, { title: "two" });
    await edit(id, { title: "three" });
    const pair = async (query: string) => {
      const { data } = (await compare(id, query)).body;
      return [data.from, data.to];
    };
    expect([await pair(""), await pair("&to=2"), await pair("&from=1")]).toEqual([
      [2, 3],
      [1, 2],
      [1, 3],
    ]);
  });

  it("compares the version before, also if the soul was changed since it was read", async () => {
    const id = await hub.publish({ title: "one" });
    await edit(id, { title: "two" });
    const stale = await hub.hub.souls.byId(id);
    await edit(id, { title: "three" });
    vi.spyOn(hub.hub.souls, "byId").mockResolvedValueOnce(stale);
    const { data } = (await compare(id)).body;
    expect([data.from, data.to]).toEqual([1, 2]);
  });

  it("answers 404 without a version before, and for versions that the reader may not know of", async () => {
    const id = await hub.publish({ title: "one" });
    const codeOf = async (query: string, reader: Actor) => {
      const { status, body } = await compare(id, query, reader);
      return [status, body.error];
    };
    const notFound = [404, "version_not_found"];
    expect(await codeOf("", hub.ada)).toEqual(notFound);
    await edit(id, { title: "draft", is_public: 0 });
    await edit(id, { title: "open", is_public: 1 });
    expect(await codeOf("&from=2", hub.bob)).toEqual(notFound);
    expect(await codeOf("&from=4", hub.ada)).toEqual(notFound);
    expect(await codeOf("&from=1&to=9007199254740991", hub.ada)).toEqual(notFound);
    expect(await codeOf("&from=2", hub.ada)).toEqual([200, undefined]);
    await edit(id, { is_public: 0 });
    expect(await codeOf("&from=1", hub.bob)).toEqual([404, "soul_not_found"]);
  });

  it("answers over tRPC as over REST", async () => {
    const id = await hub.publish({ content: "one" });
    await edit(id, { content: "two" });
    const input = encodeURIComponent(JSON.stringify({ soul_id: id }));
    const { body } = await hub.guest().get(`/trpc/versions.diff?input=${input}`);
    expect(body.result.data.data).toEqual((await compare(id)).body.data);
  });
});
