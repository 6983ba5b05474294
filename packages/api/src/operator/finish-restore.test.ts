import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { commitRestore, finishRestore } from "./finish-restore.ts";

let place: string;
beforeEach(async () => {
  place = await mkdtemp(path.join(tmpdir(), "soul-hub-finish-"));
  for (const name of ["database", "database.restoring"]) {
    await mkdir(path.join(place, name));
    await writeFile(path.join(place, name, "content"), name);
  }
  for (const name of ["secrets.json", "secrets.json.restored", "moved.json"]) {
    await writeFile(path.join(place, name), name);
  }
});
afterEach(() => rm(place, { recursive: true, force: true }));

const read = (name: string) => readFile(path.join(place, name), "utf8");
const TIME = "20270131-120000";

/** The steps of a restore after it is whole. A process may be killed after any of them. */
const STEPS: [from: string, to: string][] = [
  ["secrets.json", `secrets.json.before-${TIME}`],
  ["secrets.json.restored", "secrets.json"],
  ["database", `database.before-${TIME}`],
  ["database.restoring", "database"],
  ["moved.json", `moved.json.before-${TIME}`],
];

async function expectRestored(): Promise<void> {
  expect(await read("database/content")).toBe("database.restoring");
  expect(await read(`database.before-${TIME}/content`)).toBe("database");
  expect(await read("secrets.json")).toBe("secrets.json.restored");
  expect((await readdir(place)).sort()).toEqual([
    "database",
    `database.before-${TIME}`,
    `moved.json.before-${TIME}`,
    "secrets.json",
    `secrets.json.before-${TIME}`,
  ]);
}

describe("the end of a restore into a data directory", () => {
  it("puts the restored files in place of the former ones", async () => {
    await commitRestore(place, TIME);
    await expectRestored();
  });

  it.each([0, 1, 2, 3, 4, 5])(
    "is finished at the next start if it was killed after step %i",
    async (done) => {
      await writeFile(path.join(place, "restored.json"), JSON.stringify({ time: TIME }));
      for (const [from, to] of STEPS.slice(0, done)) {
        await rename(path.join(place, from), path.join(place, to));
      }
      await finishRestore(place);
      await expectRestored();
      await finishRestore(place);
      await expectRestored();
    },
  );

  it("is undone at the next start if the restored data was not whole", async () => {
    await finishRestore(place);
    expect(await read("database/content")).toBe("database");
    expect(await read("secrets.json")).toBe("secrets.json");
    expect((await readdir(place)).sort()).toEqual(["database", "moved.json", "secrets.json"]);
  });
});
