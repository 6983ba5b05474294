const MAX_CHARS = 60;

/** A title as a word of `[a-z0-9-]`, for URLs and file names; `soul` if nothing of it is left. */
export function slugOf(title: string): string {
  const words = title
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-");
  return words.replace(/^-/, "").slice(0, MAX_CHARS).replace(/-$/, "") || "soul";
}
