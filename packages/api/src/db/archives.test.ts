import { expect, it } from "vitest";
import { archives, describeArchives } from "./archives.fixture.ts";
import { migrations } from "./migrate.ts";

const ends = [archives.at(0), archives.at(-1)].filter((archive) => archive !== undefined);

it("the first and the current schema version have an archive", () => {
  expect(ends.map(({ schema }) => schema)).toEqual([1, migrations.length]);
});

describeArchives(ends);
