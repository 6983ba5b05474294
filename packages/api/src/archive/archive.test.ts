import { randomInt } from "node:crypto";
import { PassThrough, Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { ownPostgresDatabase } from "../testing/own-database.ts";
import { testDatabases } from "../testing/test-database.ts";
import type { End } from "./archive-format.ts";
import { addSeal } from "./archive-seal.ts";
import { fillFromArchive, type RestoreTarget } from "./fill-from-archive.ts";
import { openArchive } from "./read-archive.ts";
import { embeddedTarget, postgresTarget } from "./restore-target.ts";
import { writeArchive } from "./write-archive.ts";

/** Opens an empty database of a kind, which the test closes. */
async function emptyTarget(kind: string, opened: AsyncDisposableStack): Promise<RestoreTarget> {
  if (kind === "pglite") return opened.use(await embeddedTarget());
  const { url } = opened.use(await ownPostgresDatabase("none"));
  return opened.use(await postgresTarget(url, "public"));
}

/** Values that a COPY text must escape, or that another time zone or locale would write differently. */
async function fillWithRows({ port }: RestoreTarget): Promise<void> {
  const texts = [
    "line\nbreak",
    "tab\t",
    "back\\slash \\N \\.",
    "\u00e9\u{1f600}\ufeff",
    "",
    "\r\n",
  ];
  for (const [nth, text] of texts.entries()) {
    await port.query(
      `insert into accounts (username, username_key, email, pass_expires_at)
      values ($1, $2, $3, '2027-03-28 01:59:59.123456+00')`,
      [text, `key-${nth}`, nth === 0 ? null : text],
    );
    await port.query(
      `insert into souls (user_id, title, content, domain, file_type)
      select max(id), $1, $2, 'sea', 'single_md' from accounts`,
      [`Title ${text}`, text.repeat(20_000)],
    );
  }
  for (const statement of [
    `insert into chat_rooms (soul_id, token_hash, token_sealed, owner)
      select max(id), 'hash', 'sealed', 'account:1' from souls`,
    `insert into room_people (room_id, participant, name, restriction, restricted_until, seen_to)
      select id, 'guest:x', 'a	b', 'banned', '2027-03-28 01:59:59.123456+00', 7 from chat_rooms`,
    `insert into room_invites (room_id, invite_hash, invite_sealed, uses, expires_at)
      select id, 'hash', 'sealed', 5, '2027-03-28 01:59:59.123456+00' from chat_rooms`,
    "insert into room_shares (id, room_id, to_id) select 'share', id, 3 from chat_rooms",
  ]) {
    await port.query(statement);
  }
}

const archiveOf = async (target: RestoreTarget): Promise<Buffer> => {
  const output = new PassThrough();
  const [archive] = await Promise.all([
    buffer(output),
    writeArchive(target.port, { app: "0.1.0", keys: [], secrets: '{"kept":true}' }, output),
  ]);
  return archive;
};

const restore = async (archive: Buffer, target: RestoreTarget): Promise<number> =>
  fillFromArchive(target, await openArchive(Readable.from([archive])));

/** Reads an archive to its end, without a database. */
async function readAll(archive: Buffer): Promise<End> {
  const { entries } = await openArchive(Readable.from([archive]));
  for await (const entry of entries) {
    if ("end" in entry) return entry.end;
  }
  throw new Error("The archive has no end.");
}

/** The number of rows and the order-free hash of each table. */
const rowsOf = ({ tables }: End) =>
  Object.entries(tables).map(([name, { rows, rows_hash }]) => [name, rows, rows_hash]);

const pairs = testDatabases().flatMap((from) => testDatabases().map((to) => ({ from, to })));

describe.each(pairs)("an archive of $from, restored into $to", ({ from, to }) => {
  it("has the same rows, and continues to number them", async () => {
    await using opened = new AsyncDisposableStack();
    const source = await emptyTarget(from, opened);
    await source.migrateToNewest();
    await fillWithRows(source);
    const archive = await archiveOf(source);

    const target = await emptyTarget(to, opened);
    expect(await restore(archive, target)).toBe(16);
    const again = await archiveOf(target);
    expect(rowsOf(await readAll(again))).toEqual(rowsOf(await readAll(archive)));
    // Vectors and words are not copied: the search notes all souls again (0079).
    const noted = await target.port.query("select fill_soul_search(200)::int as souls");
    expect(noted).toEqual([{ souls: 6 }]);
    const [added] = await target.port.query<{ id: string }>(
      "insert into accounts (username, username_key) values ('next', 'next') returning id",
    );
    expect(Number(added?.id)).toBe(7);
    const orphan = target.port.query(
      "insert into souls (user_id, title, content, file_type) values (99, 'orphan', '', 'single_md')",
    );
    await expect(orphan).rejects.toMatchObject({ code: "23503" });
  });
});

describe("an archive", () => {
  /** An archive of an empty database, which is small. */
  let small: Buffer;
  beforeAll(async () => {
    await using opened = new AsyncDisposableStack();
    const source = await emptyTarget("pglite", opened);
    await source.migrateToNewest();
    small = await archiveOf(source);
  });
  const damaged = { code: "damaged_archive" };

  it("is refused if it is cut anywhere", async () => {
    const cuts = [0, 1, 40, small.length - 1, small.length - 40, small.length - 41];
    for (const cut of [...cuts, ...Array.from({ length: 10 }, () => randomInt(small.length))]) {
      await expect(readAll(small.subarray(0, cut)), `cut at ${cut}`).rejects.toMatchObject(damaged);
    }
    await expect(readAll(Buffer.concat([small, Buffer.from("x")]))).rejects.toMatchObject(damaged);
  });

  it("is refused if one bit is flipped anywhere", async () => {
    for (let at = 0; at < small.length; at++) {
      const flipped = Buffer.from(small);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << randomInt(8));
      await expect(readAll(flipped), `byte ${at}`).rejects.toMatchObject(damaged);
    }
  });

  it("is refused if its seal is right, but its content is not that of its digests", async () => {
    const tar = zstdDecompressSync(small.subarray(0, -40));
    const changed = Buffer.from(
      tar.toString("latin1").replace('"kept":true', '"kept":null'),
      "latin1",
    );
    const sealed = await buffer(addSeal(Readable.from([zstdCompressSync(changed)])));
    await expect(readAll(sealed)).rejects.toThrow("secrets.json was changed");
  });

  it("is a tar that other tools can read", async () => {
    const tar = zstdDecompressSync(small);
    expect(tar.toString("latin1", 0, 13)).toBe("manifest.json");
  });

  it("is refused if its schema is newer than this release", async () => {
    await using opened = new AsyncDisposableStack();
    const source = await emptyTarget("pglite", opened);
    await source.migrateToNewest();
    await source.port.query("insert into mikro_orm_migrations (name) values ('9999-later')");
    const archive = await archiveOf(source);
    await expect(openArchive(Readable.from([archive]))).rejects.toMatchObject({
      code: "newer_schema",
      message: expect.stringMatching(
        /^This backup has schema \d+ of Soul Hub 0\.1\.0\. This release/,
      ),
    });
  });
});
