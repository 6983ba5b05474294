import { z } from "zod";
import { field } from "../fields.schema.ts";

/**
 * NEAR account name: 2 to 64 lower-case letters and digits, separated by single `-`, `_` or `.`. The
 * 64 hex digits of an implicit account are such a name too.
 */
export const accountName = field(
  z
    .string()
    .min(2)
    .max(64)
    .regex(/^[a-z\d]+(?:[-_.][a-z\d]+)*$/, "must be a NEAR account name"),
  "ada.near",
  "A NEAR account name.",
);

/** NFT contract of a gated soul: a NEAR account name. Null or empty if the soul has no gate. */
export const nftContract = field(
  z
    .string()
    .max(64)
    .regex(/^(?:[a-z\d]{2,}|[a-z\d]+(?:[-_.][a-z\d]+)+)?$/, "must be a NEAR account name or empty")
    .nullable(),
  null,
  "NFT contract on NEAR that gates the soul. Only holders of one of its NFTs can read, fork and talk to the soul. Null or empty: no gate.",
).transform((name) => name || null);
