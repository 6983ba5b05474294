import { z } from "zod";
import {
  atMost,
  field,
  id,
  notBlank,
  singleLine,
  textOrFolder,
  utcTime,
} from "../fields.schema.ts";
import { nftContract } from "../wallet/wallet.schema.ts";
import {
  hasPackage,
  shownContentHash,
  shownDigest,
  shownNote,
  shownSignature,
  versionNumber,
} from "./version/version.schema.ts";

// The fields of a soul (specification §2, Soul), with the limits of decisions §2.

const MAX_CONTENT_CHARS = 200_000;

const isPublic = field(z.int().min(0).max(1), 1, "1: public, 0: private.");

/** The fields of a soul that its owner sets. */
export const soulFields = {
  title: singleLine(120)
    .refine(notBlank, "may not be empty")
    .meta({ minLength: 1, maxLength: 120, examples: ["The Patient Reviewer"] }),
  description: field(atMost(2_000), "Reads your code like a good colleague."),
  content: textOrFolder(MAX_CONTENT_CHARS)
    .refine(notBlank, "may not be empty")
    .meta({
      minLength: 1,
      maxLength: MAX_CONTENT_CHARS,
      description:
        'One Markdown prompt, or a JSON object as a string that maps file names to texts: `{"SOUL.md": "…", "STYLE.md": "…"}`.',
      examples: ["# Who you are\n\nA patient code reviewer."],
    }),
  /**
   * The role may be any text. A text that is no category slug is stored as `Other` (specification
   * §7).
   */
  role: field(
    z.string(),
    "software-engineering",
    "A category slug. Another value is stored as `Other`.",
  ),
  domain: z
    .string()
    .toLowerCase()
    .pipe(singleLine(100))
    .meta({
      maxLength: 100,
      description: "A tag for the knowledge domain.",
      examples: ["software"],
    }),
  compatibility: field(singleLine(100), "any"),
  is_public: isPublic,
  nft_contract: nftContract,
};

export const fileType = field(
  z.enum(["single_md", "full_soul_folder"]),
  "single_md",
  "Detected from the content.",
);

export const avgRating = field(z.number(), 4.5, "0 without ratings.");
export const totalRatings = field(z.int(), 12);

/**
 * The texts of a stored soul in responses. They have no length limits, since limits apply to
 * requests only.
 */
export const storedText = {
  title: field(z.string(), "The Patient Reviewer"),
  description: field(z.string(), "Reads your code like a good colleague."),
  content: field(
    z.string(),
    "# Who you are\n\nA patient code reviewer.",
    "Markdown; for a folder soul, the JSON of its files as a string.",
  ),
  role: field(z.string(), "software-engineering", "A category slug, or `Other`."),
  domain: field(z.string(), "software"),
  compatibility: field(z.string(), "any"),
};

const { content: storedContent, ...listedText } = storedText;

/**
 * A soul in a list (specification §2, Soul list entry). `username` is an addition to the
 * specification.
 */
export const soulListEntry = z.object({
  id,
  ...listedText,
  file_type: fileType,
  like_count: field(z.int(), 42),
  fork_count: field(z.int(), 3, "The number of forks ever made, including deleted ones."),
  created_at: utcTime,
  username: field(z.string(), "ada", "The owner."),
  avg_rating: avgRating,
  total_ratings: totalRatings,
});
soulListEntry.register(z.globalRegistry, { id: "SoulListEntry" });

/** How far the search by meaning is (0079). */
export const meaningState = field(
  z.enum(["ready", "warming", "off"]),
  "ready",
  "`warming`: the same request may find more souls soon. `off`: the hub finds souls by words alone.",
);

/** An entry of a search (0079). */
export const foundEntry = soulListEntry.extend({
  match: field(
    z.enum(["exact", "text", "slip", "meaning"]),
    "text",
    "With `q`, unless `match=text`: how the soul was found. `exact`: `q` is its title. `slip`: by the corrected question.",
  ).optional(),
});
foundEntry.register(z.globalRegistry, { id: "FoundSoul" });

/** An entry of the caller's own souls, which include private ones. */
export const ownListEntry = soulListEntry.extend({ is_public: isPublic });

export const contentHidden = field(
  z.boolean(),
  false,
  "True if `content` is empty because an NFT gate hides it. `nft_contract` of the soul names the gate.",
);

/** Why the hub's staff have hidden a soul, for its author (0062). */
const soulModeration = z.object({
  state: field(z.literal("hidden"), "hidden"),
  reason: field(z.string(), "private_data"),
  message: field(z.string(), "Please take the address out.", "From the staff to the author."),
  decision_id: id.describe("For `POST /api/appeals`."),
  appeal_until: utcTime,
});
export type SoulModeration = z.infer<typeof soulModeration>;

/** A whole soul (specification §2, Soul), with the additional fields of decisions §2. */
export const soul = z.object({
  ...soulListEntry.shape,
  user_id: id.describe("The owner."),
  content: storedContent,
  content_hidden: contentHidden,
  is_public: field(z.int(), 1, "1: public, 0: private."),
  forked_from: field(id.nullable(), null, "The id of the forked soul."),
  nft_contract: field(z.string().nullable(), null, "The NFT contract that gates the soul."),
  version: versionNumber,
  version_note: shownNote,
  digest: shownDigest,
  content_sha256: shownContentHash,
  has_package: hasPackage,
  signature: shownSignature,
  updated_at: utcTime.describe("The time of the author's last change."),
  moderation: soulModeration
    .exactOptional()
    .describe("For the author of a soul that the hub's staff have hidden."),
});

export type Soul = z.infer<typeof soul>;

export const soulUrlText = field(
  z.string(),
  "https://hub.example.org/soul/1",
  "The URL of the soul's page.",
);

export const sort = field(
  z.enum(["newest", "popular", "rating", "forks", "updated"]),
  "popular",
  "`popular` orders by likes, then forks.",
);

export const count = field(z.int(), 1, "The number of entries in `data`.");
export const hasMore = field(z.boolean(), false, "True if the next page holds entries.");
export const limit = field(
  z.int().min(1).max(100).default(20),
  20,
  "The maximum number of entries.",
);
export const offset = field(
  z.int().min(0).max(10_000).default(0),
  0,
  "The number of entries to skip.",
);

/** The condition of a change: the content that the caller has read. */
export const expectedHash = field(
  z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
  "The `content_sha256` that the soul must still have.",
);
