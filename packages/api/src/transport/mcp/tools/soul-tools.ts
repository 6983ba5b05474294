import { type ExportFormatName, exportFormats } from "@soul-hub/soul-formats";
import { z } from "zod";
import { HubError } from "../../../errors.ts";
import { sort } from "../../../souls/souls.schema.ts";
import type { Procedures } from "../mcp-call.ts";
import { defineTool, soulId } from "./tool.ts";

const MAX_FOUND = 20;
const versionId = z.int().min(1).describe("A former version, as list_versions names it.");

/** The formats that are one Markdown text. */
const markdownFormats = Object.entries(exportFormats).flatMap(([name, { mediaType }]) =>
  mediaType.startsWith("text/markdown") ? [name] : [],
) as [ExportFormatName, ...ExportFormatName[]];

const briefSoul = z.object({
  id: z.int(),
  title: z.string(),
  description: z.string(),
  username: z.string(),
});
const toBrief = ({ id, title, description, username }: z.infer<typeof briefSoul>) => ({
  id,
  title,
  description,
  username,
});

const searchSouls = defineTool({
  name: "search_souls",
  title: "Search souls",
  description:
    "Finds AI agent definitions by words and by meaning; with `mine` by words among your own.",
  need: "public",
  reads: true,
  input: z.object({
    q: z.string().max(1_000).default("").describe("Plain text without operators."),
    match: z.enum(["all", "text"]).default("all").describe("`text`: only souls with these words."),
    role: z.string().max(100).default("").describe("A category slug."),
    sort: sort.optional(),
    mine: z.boolean().default(false).describe("Your own souls alone, private ones included."),
    limit: z.int().min(1).max(MAX_FOUND).default(10),
    offset: z.int().min(0).default(0),
  }),
  output: z.object({
    has_more: z.boolean(),
    souls: z.array(
      briefSoul.extend({ match: z.enum(["exact", "text", "slip", "meaning"]).optional() }),
    ),
    search: z
      .object({
        corrected: z.string().nullable().describe("`q` without its typing errors."),
        meaning: z.enum(["ready", "warming", "off"]),
      })
      .optional(),
  }),
  async run({ procedures }, { mine, match, ...asked }) {
    if (mine) {
      const { has_more, data } = await procedures.souls.mine(asked);
      return { output: { has_more, souls: data.map(toBrief) } };
    }
    const { has_more, data, search } = await procedures.souls.list({ ...asked, match });
    const souls = data.map((soul) => ({
      ...toBrief(soul),
      ...(soul.match && { match: soul.match }),
    }));
    return { output: { has_more, souls, ...(search && { search }) } };
  },
});

const similarSouls = defineTool({
  name: "similar_souls",
  title: "Find similar souls",
  description: "Lists public souls whose meaning is the nearest to that of one soul.",
  need: "public",
  reads: true,
  input: z.object({ soul_id: soulId, limit: z.int().min(1).max(20).default(10) }),
  output: z.object({
    souls: z.array(briefSoul),
    meaning: z.enum(["ready", "warming", "off"]).describe("`warming`: ask again soon."),
  }),
  async run({ procedures }, { soul_id, limit }) {
    const { data, meaning } = await procedures.souls.similar({ id: soul_id, limit });
    return { output: { souls: data.map(toBrief), meaning } };
  },
});

const readSoul = defineTool({
  name: "read_soul",
  title: "Read a soul",
  description: "Returns a soul with its text. A folder soul's text is JSON: texts by file name.",
  need: "public",
  reads: true,
  input: z.object({ soul_id: soulId, version_id: versionId.optional() }),
  output: z.object({
    id: z.int(),
    title: z.string(),
    description: z.string().nullable(),
    username: z.string(),
    version: z.int(),
    content: z.string(),
    content_hidden: z.boolean().describe("True behind an NFT gate that is closed to you."),
    content_sha256: z.string().nullable().describe("For `expected_sha256` of publish_soul."),
    url: z.string(),
  }),
  async run({ procedures, ctx }, { soul_id, version_id }) {
    const { data: soul } = await procedures.souls.read({ id: soul_id });
    const number = version_id && (await numberOf(procedures, soul_id, version_id));
    const { data: version } = await procedures.versions.get({
      soul_id,
      ...(number !== undefined && { number }),
    });
    const { title, description, content, content_hidden, content_sha256 } = version;
    return {
      output: {
        id: soul_id,
        title,
        description: description ?? null,
        username: soul.username,
        version: version.number,
        content: content ?? "",
        content_hidden,
        content_sha256: content_sha256 ?? null,
        url: `${ctx.hub.config.baseUrl}/soul/${soul_id}`,
      },
      text: content ?? "",
    };
  },
});

/** @throws HubError `version_not_found` */
async function numberOf(procedures: Procedures, soul_id: number, id: number): Promise<number> {
  const { data } = await procedures.versions.list({ soul_id, content: false });
  const version = data.find((one) => one.id === id);
  if (!version) throw new HubError("version_not_found");
  return version.number;
}

const listVersions = defineTool({
  name: "list_versions",
  title: "List versions",
  description: "Lists the former versions of a soul that you may read, newest first.",
  need: "public",
  reads: true,
  input: z.object({ soul_id: soulId }),
  output: z.object({
    versions: z.array(
      z.object({
        id: z.int().describe("The value for `version_id`."),
        number: z.int(),
        note: z.string().nullable(),
        edited_at: z.string().describe("UTC."),
      }),
    ),
  }),
  async run({ procedures }, { soul_id }) {
    const { data } = await procedures.versions.list({ soul_id, content: false });
    const versions = data.map(({ id, number, note, edited_at }) => ({
      id,
      number,
      note,
      edited_at,
    }));
    return { output: { versions } };
  },
});

const exportSoul = defineTool({
  name: "export_soul",
  title: "Export a soul",
  description: "Returns a soul as one Markdown file, in the form that an agent's tool reads.",
  need: "public",
  reads: true,
  input: z.object({
    soul_id: soulId,
    version_id: versionId.optional(),
    format: z.enum(markdownFormats).default("md"),
  }),
  output: z.object({ name: z.string().describe("A file name."), text: z.string() }),
  async run({ procedures }, { soul_id, version_id, format }) {
    const { name, text } = await exportedText(procedures, { id: soul_id, version_id, format });
    return { output: { name, text }, text };
  },
});

interface Wanted {
  id: number;
  version_id?: number | undefined;
  format?: ExportFormatName;
}

/** Returns a soul as one Markdown. */
export async function exportedText(
  procedures: Procedures,
  { id, version_id, format = "md" }: Wanted,
): Promise<{ name: string; text: string }> {
  const version = version_id === undefined ? {} : { version_id };
  const { name, bytes } = await procedures.souls.export({ id, format, ...version });
  return { name, text: Buffer.from(bytes as Uint8Array).toString("utf8") };
}

export const soulTools = [searchSouls, similarSouls, readSoul, listVersions, exportSoul];
