import { filesOf } from "@soul-hub/soul-formats";
import { onHub } from "../hub/session.ts";
import { asOneLine } from "../terminal/foreign-text.ts";
import { tableLines } from "../terminal/table.ts";
import { bold, dim, type Line } from "../terminal/terminal.ts";

interface SearchOptions {
  role?: string | undefined;
  sort?: "newest" | "popular" | "rating" | "forks" | "updated" | undefined;
  match?: "all" | "text" | undefined;
  mine?: true | undefined;
  limit: number;
  offset: number;
}

/** Searches public souls, or lists the caller's own ones. */
export const search = (words: string[], { mine, match, ...options }: SearchOptions) =>
  onHub(async ({ client }) => {
    const wanted = { q: words.join(" "), ...options };
    const found = mine
      ? await client.souls.mine.query(wanted)
      : await client.souls.list.query({ ...wanted, match });
    const corrected = "search" in found ? found.search?.corrected : null;
    const rows = found.data.map((soul) => [
      soul.id,
      soul.title,
      soul.username,
      soul.role,
      soul.like_count,
      "is_public" in soul && soul.is_public === 0 ? "private" : "public",
    ]);
    const titles = ["id", "title", "owner", "role", "likes", "visible"];
    const next = options.offset + found.data.length;
    return {
      json: found,
      lines: rows.length > 0 ? tableLines(titles, rows) : [],
      notes: [
        ...(rows.length === 0 ? ["No soul was found."] : []),
        ...(corrected ? [`Also searched: ${asOneLine(corrected)}`] : []),
        ...(found.has_more ? [`There are more: --offset ${next}`] : []),
      ],
    };
  });

/** Shows a soul with the texts of its files. */
export const show = (id: number) =>
  onHub(async ({ client }) => {
    const { data: soul } = await client.souls.read.query({ id });
    const seen = soul.is_public ? "public" : "private";
    const files: Line[] = soul.content_hidden
      ? [dim("An NFT gate hides its content.")]
      : Object.entries(filesOf(soul)).flatMap(([name, text]) => [dim(`── ${name}`), text, ""]);
    return {
      json: soul,
      lines: [
        bold(asOneLine(soul.title)),
        `Soul ${soul.id} by ${soul.username}, ${seen}, version ${soul.version}`,
        ...(soul.description ? [soul.description] : []),
        "",
        ...files,
      ],
    };
  });

export const listVersions = (id: number) =>
  onHub(async ({ client }) => {
    const [{ data: present }, { data: former }] = await Promise.all([
      client.versions.get.query({ soul_id: id }),
      client.versions.list.query({ soul_id: id, content: false }),
    ]);
    const { number, note, title, content_sha256 } = present;
    const rows = [
      [number, "present", title, note],
      ...former.map((version) => [version.number, version.edited_at, version.title, version.note]),
    ];
    return {
      json: { present: { number, note, title, content_sha256 }, former },
      lines: tableLines(["version", "until (UTC)", "title", "note"], rows),
    };
  });

export const restore = (soul_id: number, number: number) =>
  onHub(async ({ client }) => {
    const { data } = await client.versions.get.query({ soul_id, number });
    if (data.id === null) {
      const message = `Version ${number} is the present one.`;
      return { json: { message, version: number }, lines: [message] };
    }
    const done = await client.versions.restore.mutate({ soul_id, version_id: data.id });
    return { json: done, lines: [`${done.message} It is version ${done.version} now.`] };
  });
