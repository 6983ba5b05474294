import { z } from "zod";
import { HubError } from "../../../errors.ts";
import { detectFileType } from "../../../souls/soul-content.ts";
import { expectedHash, soulFields } from "../../../souls/souls.schema.ts";
import { assertChangeable } from "../../../souls/souls.service.ts";
import { versionNote } from "../../../souls/version/version.schema.ts";
import { defineTool, soulId } from "./tool.ts";

const { title, content, description, role, domain, compatibility, is_public } = soulFields;

const publishSoul = defineTool({
  name: "publish_soul",
  title: "Publish a soul",
  description:
    "Publishes a new soul, or with `soul_id` the next version of your soul. `dry_run` checks it and changes nothing. A new soul is private unless `is_public` is 1.",
  need: "souls:write",
  reads: false,
  input: z.object({
    title,
    content,
    description: description.optional(),
    role: role.optional(),
    domain: domain.optional(),
    compatibility: compatibility.optional(),
    is_public: is_public.optional(),
    note: versionNote.default(null),
    soul_id: soulId.optional(),
    expected_sha256: expectedHash,
    dry_run: z.boolean().default(false),
  }),
  output: z.object({
    message: z.string(),
    id: z.int().nullable().describe("Null in a dry run of a new soul."),
    version: z.int().nullable(),
    url: z.string().nullable(),
  }),
  async run({ procedures, ctx, caller }, { soul_id, expected_sha256, dry_run, ...fields }) {
    if (!("account" in caller)) throw new HubError("unauthenticated");
    const urlOf = (id: number) => `${ctx.hub.config.baseUrl}/soul/${id}`;
    if (dry_run) {
      detectFileType(fields.content);
      const own = { ...ctx, caller, db: ctx.hub.database.db };
      if (soul_id !== undefined) await assertChangeable(own, soul_id, expected_sha256);
      const url = soul_id === undefined ? null : urlOf(soul_id);
      const message = "The soul can be published. Nothing was changed.";
      return { output: { message, id: soul_id ?? null, version: null, url }, text: message };
    }
    if (soul_id === undefined) {
      const isPublic = fields.is_public ?? 0;
      const { message, id, url } = await procedures.souls.publish({
        ...fields,
        is_public: isPublic,
      });
      return { output: { message, id, version: 1, url }, text: message };
    }
    const update = { ...fields, id: soul_id, ...(expected_sha256 && { expected_sha256 }) };
    const { message, version } = await procedures.souls.update(update);
    return { output: { message, id: soul_id, version, url: urlOf(soul_id) }, text: message };
  },
});

const restoreVersion = defineTool({
  name: "restore_version",
  title: "Restore a version",
  description: "Makes a former version of your soul the present one. The present one stays listed.",
  need: "souls:write",
  reads: false,
  input: z.object({
    soul_id: soulId,
    version_id: z.int().min(1).describe("As list_versions names it."),
  }),
  output: z.object({ message: z.string(), version: z.int() }),
  async run({ procedures }, input) {
    const output = await procedures.versions.restore(input);
    return { output, text: output.message };
  },
});

export const publishingTools = [publishSoul, restoreVersion];
