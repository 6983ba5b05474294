import { HubError } from "../errors.ts";
import { isLongerThan } from "../fields.schema.ts";
import { decodeImage } from "./chat-image.ts";
import type { PromptImage } from "./models/model-port.ts";

interface GivenMessage {
  content: string;
  image?: string | null | undefined;
}

/**
 * Judges a message that somebody sends.
 * @returns its image, decoded
 * @throws HubError `invalid_input`, `input_too_long`, `image_invalid`
 */
export function readMessage(
  { content, image: dataUri }: GivenMessage,
  maxChars: number,
): PromptImage | undefined {
  const image = typeof dataUri === "string" ? decodeImage(dataUri) : undefined;
  if (!image && !/\S/.test(content)) {
    throw new HubError("invalid_input", {
      details: [{ field: "content", message: "may be empty only beside an image" }],
    });
  }
  if (isLongerThan(maxChars, content)) {
    throw new HubError("input_too_long", {
      message: `The message is longer than your plan allows: at most ${maxChars} characters.`,
    });
  }
  return image;
}
