import { HubError, invalidField } from "../../errors.ts";
import { isLongerThan, notBlank } from "../../fields.schema.ts";
import type { PromptImage } from "../models/model-port.ts";
import { decodeImage } from "./chat-image.ts";

/** A message as a client sends it. */
export interface GivenMessage {
  content: string;
  /** The image as a data URI. */
  image?: string | null | undefined;
  /** Id of an earlier question that is answered again. The text is then empty. */
  regenerate?: number | undefined;
}

/**
 * Validates the text and the image of a message.
 * @returns the decoded image
 * @throws HubError `invalid_input`, `input_too_long`, `image_invalid`
 */
export function readMessage(
  { content, image: dataUri, regenerate }: GivenMessage,
  maxChars: number,
): PromptImage | undefined {
  const image = typeof dataUri === "string" ? decodeImage(dataUri) : undefined;
  if (!image && regenerate === undefined && !notBlank(content)) {
    throw invalidField("content", "may be empty only if there is an image");
  }
  if (isLongerThan(maxChars, content)) {
    throw new HubError("input_too_long", {
      message: `The message is longer than your plan allows: at most ${maxChars} characters.`,
    });
  }
  return image;
}
