import { hash } from "node:crypto";
import { filesOf } from "@soul-hub/soul-formats";

/** Names the rules of digest and statement. Other rules need another name. */
export const VERSION_FORMAT = "soulhub-version/1";

/** The texts of one state of a soul that its digest covers. */
interface DigestedTexts {
  title: string;
  description: string;
  content: string;
  /** `single_md` or `full_soul_folder` (specification §2). */
  file_type: string;
}

/**
 * Computes the digest of one state of a soul, `sha256:<64 hex digits>` (0036). Role, domain,
 * compatibility, visibility and gate are not part of it, so a copy elsewhere has the same digest.
 */
export const versionDigest = ({ title, description, ...soul }: DigestedTexts): string =>
  manifestDigest({ title, description, files: filesOf(soul) });

/**
 * Computes the digest of a version from its files: the SHA-256 of their manifest in canonical JSON.
 * A text is hashed as UTF-8, bytes of a file as they are.
 */
export function manifestDigest(version: {
  title: string;
  description: string;
  files: Readonly<Record<string, string | Uint8Array>>;
}): string {
  const files = Object.fromEntries(
    Object.entries(version.files).map(([name, text]) => [name, sha256(text)]),
  );
  return sha256(canonicalJson({ ...version, files, type: VERSION_FORMAT }));
}

const sha256 = (data: string | Uint8Array): string => `sha256:${hash("sha256", data, "hex")}`;

interface Texts {
  readonly [name: string]: string | Texts;
}

/**
 * Writes JSON as RFC 8785 does: names in the order of their UTF-16 code units, and no white space.
 * JSON.stringify escapes texts as the RFC requires. The hub stores no lone surrogates, which the
 * RFC refuses.
 */
function canonicalJson(value: string | Texts): string {
  if (typeof value === "string") return JSON.stringify(value);
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(",")}}`;
}
