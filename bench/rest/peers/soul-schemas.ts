import { z } from "zod";

/** Inputs and outputs as zod schemas, as a user of trpc-to-openapi would write them. */

const id = z.number().int().min(1);

export const entry = z.object({
  id,
  title: z.string(),
  description: z.string(),
  role: z.string(),
  domain: z.string(),
  compatibility: z.string(),
  file_type: z.enum(["single_md", "full_soul_folder"]),
  like_count: z.number().int(),
  fork_count: z.number().int(),
  created_at: z.string(),
  username: z.string(),
  avg_rating: z.number(),
  total_ratings: z.number().int(),
});

export const soul = entry.extend({
  user_id: id,
  content: z.string(),
  content_hidden: z.boolean(),
  is_public: z.number().int(),
  forked_from: id.nullable(),
  nft_contract: z.string().nullable(),
  version: id,
  version_note: z.string().nullable(),
  digest: z.string(),
  content_sha256: z.string(),
  has_package: z.boolean(),
  signature: z.null(),
  updated_at: z.string(),
});

export const soulInput = z.object({ id });
export const soulOutput = z.object({ success: z.literal(true), data: soul });

export const listInput = z.object({
  limit: z.number().int().min(1).max(100).default(20),
  offset: z.number().int().min(0).max(10_000).default(0),
});
export const listOutput = z.object({
  success: z.literal(true),
  count: z.number().int(),
  total: z.number().int(),
  has_more: z.boolean(),
  data: z.array(entry),
});
