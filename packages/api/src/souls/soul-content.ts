import { HubError } from "../errors.ts";

export type FileType = "single_md" | "full_soul_folder";

const MAX_FILES = 50;
/** A file name: no path, an extension (decisions §2, file_type). */
const FILE_NAME = /^[A-Za-z0-9][\w.-]{0,99}$/;
const HAS_EXTENSION = /\.[\w-]+$/;
/** Names that would reach a prototype or another folder wherever the object is unpacked. */
const TREACHEROUS = /^(__proto__|constructor|prototype)$|\.\.|[/\\]/;

const isFileName = (name: string) => FILE_NAME.test(name) && HAS_EXTENSION.test(name);

/**
 * Tells a folder of files from a single Markdown prompt (specification §2, file_type).
 * @throws HubError `invalid_input` for what looks like a folder but holds a treacherous name
 */
export function detectFileType(content: string): FileType {
  const files = parseObject(content);
  if (!files) return "single_md";
  const names = Object.keys(files);
  const looksLikeFolder =
    names.length > 0 && Object.values(files).every((text) => typeof text === "string");
  if (!looksLikeFolder) return "single_md";
  const treacherous = names.find((name) => TREACHEROUS.test(name));
  if (treacherous !== undefined && names.some((name) => isFileName(name) || name === treacherous)) {
    throw new HubError("invalid_input", {
      details: [
        { field: "content", message: `may not hold a file named ${JSON.stringify(treacherous)}` },
      ],
    });
  }
  return names.length <= MAX_FILES && names.every(isFileName) ? "full_soul_folder" : "single_md";
}

function parseObject(content: string): Record<string, unknown> | null {
  // JSON.parse is spared for Markdown, which is nearly all there is.
  if (!/^\s*\{/.test(content)) return null;
  try {
    const value: unknown = JSON.parse(content);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
