import { z } from "zod";

import { atMost, id, notBlank, utcTime } from "../fields.schema.ts";

// Specification §2, Soul, with the limits of decisions §2.

const MAX_CONTENT_CHARS = 200_000;

export const title = z
  .string()
  .trim()
  .pipe(atMost(120))
  .refine(notBlank, "may not be empty")
  .meta({ minLength: 1, maxLength: 120, examples: ["The Patient Reviewer"] });

export const description = atMost(2_000).meta({
  examples: ["Reads your code like a good colleague."],
});

export const content = atMost(MAX_CONTENT_CHARS)
  .refine(notBlank, "may not be empty")
  .meta({
    minLength: 1,
    maxLength: MAX_CONTENT_CHARS,
    description:
      'One Markdown prompt, or a JSON object of file names to texts as a string: `{"SOUL.md": "…", "STYLE.md": "…"}`.',
    examples: ["# Who you are\n\nA patient code reviewer."],
  });

export const domain = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(atMost(100))
  .meta({
    maxLength: 100,
    description: "A tag for the field of knowledge.",
    examples: ["software"],
  });

export const compatibility = atMost(100).meta({ examples: ["any"] });

/** Any text: what is no category slug is stored as `Other` (specification §7). */
export const role = z
  .string()
  .meta({ description: "A category slug; anything else is stored as `Other`." });

export const isPublic = z.int().min(0).max(1).meta({ description: "1 public, 0 private." });

const fileType = z.enum(["single_md", "full_soul_folder"]);

/** Specification §2, Soul list entry; `username` is additive. */
export const soulListEntry = z.object({
  id,
  title: z.string(),
  description: z.string(),
  role: z.string(),
  domain: z.string(),
  compatibility: z.string(),
  file_type: fileType,
  like_count: z.int(),
  fork_count: z.int(),
  created_at: utcTime,
  username: z.string().meta({ description: "The owner's." }),
  avg_rating: z.number(),
  total_ratings: z.int(),
});

/** Specification §2, Soul, with the additive fields of decisions §2. */
export const soul = z.object({
  id,
  user_id: id,
  title: z.string(),
  description: z.string(),
  content: z.string(),
  file_type: fileType,
  role: z.string(),
  domain: z.string(),
  compatibility: z.string(),
  is_public: z.int(),
  like_count: z.int(),
  fork_count: z.int(),
  created_at: utcTime,
  username: z.string(),
  avg_rating: z.number().meta({ description: "0 without ratings." }),
  total_ratings: z.int(),
  forked_from: id.nullable(),
  updated_at: utcTime,
});

export const sort = z.enum(["newest", "popular", "rating", "forks", "updated"]);

export const count = z.int().meta({ description: "Entries in `data`." });
export const limit = z.int().min(1).max(100).default(20);
export const offset = z.int().min(0).max(10_000).default(0);
