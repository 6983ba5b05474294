import { readZip } from "@soul-hub/soul-formats";
import { rawZip } from "@soul-hub/soul-formats/testing";
import { sha256 } from "../souls/packages/packages.queries.ts";
import type { Actor } from "../testing/actor.ts";
import type { ChatHub } from "../testing/chat-hub.ts";

const limits = { maxEntries: 5_000, maxBytes: 2 ** 27 };

/** Downloads the archive of an actor's account. */
export async function downloadArchive(hub: Pick<ChatHub, "url">, actor: Actor, query = "") {
  const response = await fetch(`${hub.url}/api/export${query}`, {
    headers: { authorization: `Bearer ${actor.apiKey}` },
  });
  return new Uint8Array(await response.arrayBuffer());
}

export const importArchive = (actor: Actor, bytes: Uint8Array, query = "") =>
  actor.send("POST", `/api/import${query}`, new Uint8Array(bytes), {
    "content-type": "application/zip",
  });

type Files = Record<string, string | Buffer>;

interface Forged {
  hub_id?: string;
  counts?: object;
  /** Fields of the manifest in place of the right ones. */
  manifest?: object;
}

/** Packs files as the archive of another hub, with a manifest that fits unless it is changed. */
export function archiveOf(files: Files, { hub_id = "feedbeef", counts, manifest }: Forged = {}) {
  const list = Object.entries(files).map(([path, content]) => ({
    path,
    size: Buffer.byteLength(content as string),
    sha256: sha256(content),
  }));
  const text = JSON.stringify({
    format: "soul-hub-archive",
    v: 1,
    hub_id,
    hub: "https://other.example",
    username: "ada",
    exported_at: "2026-01-31 12:00:00",
    counts: { souls: 0, versions: 0, rooms: 0, lines: 0, likes: 0, ratings: 0, ...counts },
    unchecked: 0,
    files: list,
    ...manifest,
  });
  const entries = Object.entries({ ...files, "manifest.json": text });
  return rawZip(entries.map(([path, content]) => ({ path, content })));
}

const lines = (...objects: readonly object[]) =>
  objects.map((object) => `${JSON.stringify(object)}\n`).join("");

const current = {
  number: 1,
  note: null,
  is_public: 1,
  nft_contract: null,
  package: [],
  is_current: true,
  edited_at: null,
  created_at: "2026-01-31 12:00:00",
  updated_at: "2026-01-31 12:00:00",
};

/** The fields of a former version, as a line of `versions.ndjson` has them. */
export const formerVersion = {
  ...current,
  is_current: false,
  edited_at: "2026-01-31 12:00:00",
  title: "Former",
  description: "",
  content: "I was.",
  role: "Other",
  domain: "",
  compatibility: "any",
};

interface ForgedSoul {
  present?: object;
  former?: readonly object[];
  /** Files below the soul's folder. */
  files?: Files;
}

/** The files of one soul of an archive. */
export const soulFiles = (id: number, { present, former = [], files = {} }: ForgedSoul = {}) => ({
  [`souls/${id}/current/SOUL.md`]: `# Soul ${id}`,
  [`souls/${id}/versions.ndjson`]: lines(...former, {
    ...current,
    number: former.length + 1,
    ...present,
  }),
  ...Object.fromEntries(
    Object.entries(files).map(([path, content]) => [`souls/${id}/${path}`, content]),
  ),
});

const head = {
  kind: "room",
  id: 1,
  soul_id: 7,
  soul_title: "Soul 7",
  session_token: "lobby",
  title: null,
  is_private: false,
  is_mine: true,
  summary: null,
  summarised_to: 0,
  active_id: null,
  created_at: "2026-01-31 12:00:00",
  updated_at: "2026-01-31 12:00:00",
};

/** A message of a room of an archive. */
export const message = {
  kind: "line",
  id: 1,
  prev_id: 0,
  parent_id: null,
  role: "user",
  is_mine: true,
  sender_name: "ada",
  content: "Is it dark?",
  audience: "room",
  created_at: "2026-01-31 12:00:00",
  edited_at: null,
  edited_by: null,
  removed: false,
  made_by: null,
  imported: false,
};

/** The file of one room of an archive. */
export const roomFile = (
  nth: number,
  { room = {}, messages = [message] }: { room?: object; messages?: readonly object[] } = {},
) => ({ [`rooms/${nth}.ndjson`]: lines({ ...head, id: nth, ...room }, ...messages) });

/** Fields that an import on another hub does not keep (law 4). */
const CHANGED = new Set([
  "id",
  "soul_id",
  "prev_id",
  "parent_id",
  "active_id",
  "summarised_to",
  "is_public",
  "is_private",
  "is_mine",
  "imported",
  "forked_from",
]);

/**
 * The souls and rooms of an archive without the exceptions of law 4, by their paths without ids.
 * @param owner the account's name, which another archive has in place of "ada"
 */
export async function comparable(bytes: Uint8Array, owner: string) {
  const read = await readZip(bytes, limits);
  const files = new Map<string, unknown>();
  const numbers = new Map<string, number>();
  for (const { path, bytes: content } of read) {
    if (!/^(?:souls|rooms)\//.test(path)) continue;
    const [, id = ""] = /^souls\/(\d+)\//.exec(path) ?? [];
    if (!numbers.has(id)) numbers.set(id, numbers.size);
    const name = path.replace(/^souls\/\d+\//, `souls/nth ${numbers.get(id)}/`);
    const text = Buffer.from(content).toString("utf8");
    files.set(
      name,
      path.endsWith(".ndjson") ? withoutIds(text, owner) : withoutAuthor(text, owner),
    );
  }
  return Object.fromEntries(files);
}

const withoutIds = (text: string, owner: string) =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) =>
      JSON.parse(line, (key, value) => {
        if (CHANGED.has(key)) return null;
        return key === "sender_name" || key === "edited_by" ? nameOf(value, owner) : value;
      }),
    );

const nameOf = (name: unknown, owner: string) => (name === owner ? "the owner" : name);

/** soul.json names the author, and the meta file the hash of soul.json. */
const withoutAuthor = (text: string, owner: string) =>
  text
    .replace(`"name": "${owner}"`, '"name": "the owner"')
    .replace(/"soul\.json": "[0-9a-f]{64}"/, '"soul.json": ""');
