import { z } from "zod";
import { field, id, singleLine } from "../../fields.schema.ts";
import { versionSignature } from "./version-signature.schema.ts";

/** The number of one state of a soul. The first state is 1, and each change makes the next. */
export const versionNumber = field(id, 4, "The number of this version. It never changes.");

const MAX_NOTE_CHARS = 500;

/** What the owner says about a version. A blank text counts as none. */
export const versionNote = field(
  singleLine(MAX_NOTE_CHARS).nullable(),
  "Shorter answers.",
  "What is new in this version. Null or blank: no note.",
).transform((note) => note || null);
export type VersionNote = z.infer<typeof versionNote>;

export const shownNote = field(
  z.string().nullable(),
  "Shorter answers.",
  "What the owner says about this version.",
);

export const shownDigest = field(
  z.string().nullable(),
  "sha256:21a4ff28943e487b5a6841f46be0dc4dc76c05c686cf97b4dbc52710234817d4",
  "The SHA-256 of the manifest (decision 0036). Null where `content` is hidden.",
);

export const shownContentHash = field(
  z.string().nullable(),
  "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
  "The SHA-256 of `content` as UTF-8, in hexadecimal. Null where `content` is hidden.",
);

export const hasPackage = field(
  z.boolean(),
  false,
  "True if an imported file brought more than `content`, which an export contains.",
);

export const shownSignature = versionSignature
  .nullable()
  .describe(
    "The owner's signature of this version. Null without one, and where `content` is hidden.",
  );

export const isHidden = field(
  z.boolean(),
  false,
  "True if this version is hidden: other callers are answered as if it did not exist. Only the owner gets this field.",
);
