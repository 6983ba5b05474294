import { isFileName, MAX_FILES } from "@soul-hub/soul-formats";
import { invalidField } from "../errors.ts";

export type FileType = "single_md" | "full_soul_folder";

/**
 * File names that are unsafe for a program that unpacks a folder soul: they could change a
 * JavaScript prototype or write to another folder.
 */
const UNSAFE_NAME = /^(__proto__|constructor|prototype)$|\.\.|[/\\]/;

/**
 * Detects whether content is a folder of files or one Markdown prompt (specification §2, Soul).
 * @throws HubError `invalid_input` if a folder contains an unsafe file name
 */
export function detectFileType(content: string): FileType {
  const files = parseObject(content);
  const names = Object.keys(files);
  const isFolderLike =
    names.length > 0 && Object.values(files).every((text) => typeof text === "string");
  if (!isFolderLike) return "single_md";
  const unsafe = names.find((name) => UNSAFE_NAME.test(name));
  if (unsafe !== undefined) {
    const message = `may not contain a file named ${JSON.stringify(unsafe)}`;
    throw invalidField("content", message);
  }
  const areFiles = names.every(isFileName);
  return areFiles && names.length <= MAX_FILES ? "full_soul_folder" : "single_md";
}

/** Parses a JSON object. All other content gives an empty object. */
export function parseObject(content: string): Record<string, unknown> {
  // Most content is Markdown: this test avoids parsing it as JSON.
  if (!/^\s*\{/.test(content)) return {};
  try {
    return JSON.parse(content);
  } catch {
    return {};
  }
}
