import { ARCHIVE_FORMAT, lastOfDoubles } from "@soul-hub/soul-formats";
import { z } from "zod";
import { roomName } from "../chat/chat.schema.ts";
import { madeBy } from "../chat/made-by.schema.ts";
import { singleLine } from "../fields.schema.ts";
import { soulFields } from "../souls/souls.schema.ts";
import { knownRole } from "../souls/souls.service.ts";
import { versionNote } from "../souls/version/version.schema.ts";

// The files of an account's archive (0053). An import reads the fields below; an export writes more.
// An archive comes from a stranger.

/** A line of an export, which also has fields that an import does not read. */
type Written<Line extends z.ZodType> = z.input<Line> & Record<string, unknown>;

/** A change of the meaning of the files needs another version. */
export const ARCHIVE_VERSION = 1;

/** The counts of an archive, which an import reports. */
const countNames = ["souls", "versions", "rooms", "lines", "likes", "ratings"] as const;
type CountName = (typeof countNames)[number];
/** The counts of an export so far. `unchecked`: the rooms that my-chats leaves out, too. */
export type ArchiveCounts = Record<CountName | "unchecked", number>;

/** Makes a record with one value for each count. */
export const eachCount = <Value>(value: () => Value) =>
  Object.fromEntries(countNames.map((name) => [name, value()])) as Record<CountName, Value>;

/** A time in UTC, as exports write it. PostgreSQL would fail for a day that does not exist. */
const time = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  .refine((text) => {
    const read = new Date(`${text.replace(" ", "T")}Z`);
    const isReal = !Number.isNaN(read.getTime()) && read.getUTCFullYear() >= 1;
    return isReal && read.toISOString().slice(0, 19) === text.replace(" ", "T");
  });
const shortText = singleLine(200);
const count = z.int().min(0);
/** An id on the hub that wrote the archive. */
const id = z.int().min(0);

/** A file of a package, named by its hash. */
const packageFile = z.object({ path: z.string(), sha256: z.string() });
export type ArchivedPackageFile = z.output<typeof packageFile>;

/** The database counts versions in 32 bits, and a soul gets further ones. */
const MAX_NUMBER = 1_000_000_000;

/**
 * One state of a soul, a line of `souls/<id>/versions.ndjson`: the former ones, then the present
 * one. The texts of the present one stand in `current/`.
 */
export const versionLine = z.object({
  number: z.int().min(1).max(MAX_NUMBER),
  note: versionNote,
  nft_contract: soulFields.nft_contract,
  package: z.array(packageFile).max(500),
  is_current: z.boolean(),
  /** When the state was replaced; null for the present one. */
  edited_at: time.nullable(),
  is_hidden: z.boolean().default(false),
  title: soulFields.title.optional(),
  description: soulFields.description.default(""),
  content: z.string().transform(lastOfDoubles).pipe(soulFields.content).optional(),
  role: z.string().default("Other").transform(knownRole),
  domain: soulFields.domain.default(""),
  compatibility: soulFields.compatibility.default("any"),
  /** On the present state. */
  created_at: time.optional(),
  updated_at: time.optional(),
});
export type VersionLine = z.output<typeof versionLine>;
export type NewVersionLine = Written<typeof versionLine>;

/** The first line of `rooms/<n>.ndjson`. */
const roomHead = z.object({
  kind: z.literal("room"),
  id,
  soul_id: id,
  session_token: roomName.session_token,
  title: shortText.nullable(),
  summary: z.string().max(10_000).nullable(),
  summarised_to: id,
  active_id: id.nullable(),
  created_at: time,
  updated_at: time,
});
export type RoomHead = z.output<typeof roomHead>;

/** A message of a room. */
const message = z.object({
  kind: z.literal("line"),
  id,
  prev_id: id,
  parent_id: id.nullable(),
  role: z.enum(["user", "assistant"]),
  is_mine: z.boolean(),
  sender_name: shortText,
  content: z.string().max(1_000_000),
  audience: z.enum(["room", "people"]),
  created_at: time,
  edited_at: time.nullable(),
  edited_by: shortText.nullable(),
  removed: z.boolean(),
  made_by: madeBy.omit({ edited_by: true }).extend({ model: shortText }).nullable(),
});
export type ArchivedMessage = z.output<typeof message>;

export const roomLine = z.discriminatedUnion("kind", [roomHead, message]);
export type NewRoomLine = Written<typeof roomLine>;

/** A line of `likes.ndjson`, and one of `ratings.ndjson`. */
export const like = z.object({ soul_id: z.int().min(1) });
export const rating = like.extend({ rating: z.int().min(1).max(5) });

/** `manifest.json`, the last file: an archive that was cut off has none. */
export const archiveManifest = z.object({
  format: z.literal(ARCHIVE_FORMAT),
  v: z.literal(ARCHIVE_VERSION),
  /** Tells hubs apart, so that a second import recognises souls and rooms of the first. */
  hub_id: z.string().regex(/^[\w-]{1,64}$/),
  username: z.string(),
  counts: z.object({ likes: count, ratings: count }),
  files: z.array(z.object({ path: z.string(), size: count, sha256: z.string() })),
});
export type ArchiveManifest = z.output<typeof archiveManifest>;
