import { HubError } from "../errors.ts";
import type { PromptImage } from "./models/model-port.ts";

/** Bytes of an image as they are (decisions §5, Images). */
const MAX_IMAGE_BYTES = 3_750_000;

/** What each kind of file begins with. */
const signatures: Record<string, (bytes: Buffer) => boolean> = {
  "image/png": (bytes) => bytes.subarray(0, 8).equals(Buffer.from("89504e470d0a1a0a", "hex")),
  "image/jpeg": (bytes) => bytes.subarray(0, 3).equals(Buffer.from("ffd8ff", "hex")),
  "image/gif": (bytes) => /^GIF8[79]a$/.test(bytes.toString("latin1", 0, 6)),
  "image/webp": (bytes) =>
    bytes.toString("latin1", 0, 4) === "RIFF" && bytes.toString("latin1", 8, 12) === "WEBP",
};

const DATA_URI = /^data:(image\/[a-z]+);base64,/;

/** @throws HubError `image_invalid` for whatever is not strict base64 of an image of the kind it claims */
export function decodeImage(dataUri: string): PromptImage {
  const head = DATA_URI.exec(dataUri);
  const mediaType = head?.[1] ?? "";
  const isOfKind = Object.hasOwn(signatures, mediaType) ? signatures[mediaType] : undefined;
  if (!head || !isOfKind) throw new HubError("image_invalid");
  const text = dataUri.slice(head[0].length);
  if (text.length > Math.ceil(MAX_IMAGE_BYTES / 3) * 4) {
    throw new HubError("image_invalid", { message: "The image is larger than 3.75 MB." });
  }
  const data = Buffer.from(text, "base64");
  // Buffer.from skips what isn't base64; only a text that comes back the same was strict.
  const strict = data.toString("base64") === text;
  if (!strict || data.length > MAX_IMAGE_BYTES || !isOfKind(data))
    throw new HubError("image_invalid");
  return { mediaType, data };
}
