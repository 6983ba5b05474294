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
export const role = z.string().meta({
  description: "A category slug; anything else is stored as `Other`.",
  examples: ["software-engineering"],
});

export const isPublic = z
  .int()
  .min(0)
  .max(1)
  .meta({ description: "1 public, 0 private.", examples: [1] });

const fileType = z
  .enum(["single_md", "full_soul_folder"])
  .meta({ description: "Detected from the content.", examples: ["single_md"] });

export const avgRating = z.number().meta({ description: "0 without ratings.", examples: [4.5] });
export const totalRatings = z.int().meta({ examples: [12] });

/** As they are stored: what may be written is said above. */
export const storedText = {
  title: z.string().meta({ examples: ["The Patient Reviewer"] }),
  description: z.string().meta({ examples: ["Reads your code like a good colleague."] }),
  content: z.string().meta({
    description: "Markdown, or of a folder soul the JSON of its files as a string.",
    examples: ["# Who you are\n\nA patient code reviewer."],
  }),
  role: z
    .string()
    .meta({ description: "A category slug, or `Other`.", examples: ["software-engineering"] }),
  domain: z.string().meta({ examples: ["software"] }),
  compatibility: z.string().meta({ examples: ["any"] }),
};

const { content: storedContent, ...listedText } = storedText;

/** Specification §2, Soul list entry; `username` is additive. */
export const soulListEntry = z.object({
  id,
  ...listedText,
  file_type: fileType,
  like_count: z.int().meta({ examples: [42] }),
  fork_count: z.int().meta({ description: "Forks ever made.", examples: [3] }),
  created_at: utcTime,
  username: z.string().meta({ description: "The owner's.", examples: ["ada"] }),
  avg_rating: avgRating,
  total_ratings: totalRatings,
});

export const contentHidden = z.boolean().meta({
  description:
    "An NFT gate keeps the content from you, and it is empty: see `nft_contract` of the soul.",
  examples: [false],
});

/** Specification §2, Soul, with the additive fields of decisions §2. */
export const soul = z.object({
  ...soulListEntry.shape,
  user_id: id.meta({ description: "The owner's." }),
  content: storedContent,
  content_hidden: contentHidden,
  is_public: z.int().meta({ description: "1 public, 0 private.", examples: [1] }),
  forked_from: id
    .nullable()
    .meta({ description: "The id of the soul this one was forked from.", examples: [null] }),
  nft_contract: z
    .string()
    .nullable()
    .meta({ description: "The NFT contract that gates the soul.", examples: [null] }),
  updated_at: utcTime.meta({ description: "When its author last changed it." }),
});

export const soulUrlText = z
  .string()
  .meta({ description: "The soul's page.", examples: ["https://hub.example.org/soul/1"] });

export const sort = z
  .enum(["newest", "popular", "rating", "forks", "updated"])
  .meta({ description: "`popular`: by likes, then forks.", examples: ["popular"] });

export const count = z.int().meta({ description: "Entries in `data`.", examples: [1] });
export const limit = z
  .int()
  .min(1)
  .max(100)
  .default(20)
  .meta({ description: "Entries in one answer.", examples: [20] });
export const offset = z
  .int()
  .min(0)
  .max(10_000)
  .default(0)
  .meta({ description: "Entries to leave out.", examples: [0] });
