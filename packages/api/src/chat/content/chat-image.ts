import { HubError } from "../../errors.ts";
import type { PromptImage } from "../models/model-port.ts";

/** Size limit of a decoded image (decisions §5, Images). */
const MAX_IMAGE_BYTES = 3_750_000;

/** Checks the magic bytes of each media type. */
const signatures: Record<string, (bytes: Buffer) => boolean> = {
  "image/png": (bytes) => bytes.subarray(0, 8).equals(Buffer.from("89504e470d0a1a0a", "hex")),
  "image/jpeg": (bytes) => bytes.subarray(0, 3).equals(Buffer.from("ffd8ff", "hex")),
  "image/gif": (bytes) => /^GIF8[79]a$/.test(bytes.toString("latin1", 0, 6)),
  "image/webp": (bytes) =>
    bytes.toString("latin1", 0, 4) === "RIFF" && bytes.toString("latin1", 8, 12) === "WEBP",
};

/**
 * Decodes a data URI of a png, jpeg, gif or webp image in strict base64.
 * @throws HubError `image_invalid`
 */
export function decodeImage(dataUri: string): PromptImage {
  const [head = "", mediaType = ""] = /^data:(image\/[a-z]+);base64,/.exec(dataUri) ?? [];
  const hasSignature = Object.hasOwn(signatures, mediaType) ? signatures[mediaType] : undefined;
  if (!hasSignature) throw new HubError("image_invalid");
  const text = dataUri.slice(head.length);
  if (text.length > Math.ceil(MAX_IMAGE_BYTES / 3) * 4) {
    throw new HubError("image_invalid", { message: "The image is larger than 3.75 MB." });
  }
  const data = Buffer.from(text, "base64");
  // Buffer.from skips invalid characters, so only an identical encoding proves strict base64.
  const isStrict = data.toString("base64") === text;
  if (!isStrict || data.length > MAX_IMAGE_BYTES || !hasSignature(data))
    throw new HubError("image_invalid");
  return { mediaType, data };
}

/** Images are not stored: the question keeps this mark (decisions §5, Images). */
const IMAGE_MARK = "[image]";

export const withImageMark = (content: string): string =>
  [content, IMAGE_MARK].filter(Boolean).join("\n\n");

/** Returns a stored question without its mark; undefined if it had no image. */
export function withoutImageMark(stored: string): string | undefined {
  if (stored === IMAGE_MARK) return "";
  const end = `\n\n${IMAGE_MARK}`;
  return stored.endsWith(end) ? stored.slice(0, -end.length) : undefined;
}
