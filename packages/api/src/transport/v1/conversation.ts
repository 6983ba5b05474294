import { decodeImage, withImageMark } from "../../chat/content/chat-image.ts";
import type { PromptMessage, ToolCall } from "../../chat/models/model-port.ts";
import { HubError } from "../../errors.ts";
import { refused } from "./v1-errors.ts";

/** One message of a call, in the terms that both shapes of `/v1` share. */
export type Item =
  | { role: "system"; text: string }
  | { role: "user"; text: string; images: readonly string[] }
  | { role: "assistant"; text: string; toolCalls: readonly ToolCall[] }
  | { role: "tool"; callId: string; text: string };

export interface Conversation {
  /** The app's system texts. */
  instructions: string[];
  messages: PromptMessage[];
  /** The last message of a person, which is what a room gets. */
  question: { text: string; image: string | null };
}

/**
 * Reads the messages of a call. The last message of a person may have one image; images of older
 * messages become a mark, since the app sends the whole conversation again with each call.
 * @param field the field of the body that holds the messages
 * @throws HubError `invalid_input` without a message of a person; `image_invalid`
 */
export function toConversation(items: readonly Item[], field: string): Conversation {
  const last = items.findLastIndex(({ role }) => role === "user");
  const asked = items[last];
  if (asked?.role !== "user") throw refused(field, "must hold a message with the role user");
  const toolNames = new Map(
    items.flatMap((item) =>
      item.role === "assistant" ? item.toolCalls.map(({ id, name }) => [id, name] as const) : [],
    ),
  );
  const messages = items.flatMap((item, at): PromptMessage[] => {
    if (item.role === "system") return [];
    if (item.role === "user") return [at === last ? lastQuestion(item) : olderQuestion(item)];
    const { role, text: content } = item;
    if (role === "assistant") return [{ role, content, toolCalls: item.toolCalls }];
    return [{ role, content, callId: item.callId, name: toolNames.get(item.callId) ?? "tool" }];
  });
  const instructions = items.flatMap((item) => (item.role === "system" ? [item.text] : []));
  return {
    instructions,
    messages,
    question: { text: asked.text, image: asked.images[0] ?? null },
  };
}

type Question = Extract<Item, { role: "user" }>;

function lastQuestion({ text, images: [image, ...more] }: Question): PromptMessage {
  if (image === undefined) return { role: "user", content: text };
  assertNoAddress(image);
  if (more.length > 0) {
    throw new HubError("image_invalid", { message: "A message may have one image." });
  }
  return { role: "user", content: text, image: decodeImage(image) };
}

function olderQuestion({ text, images }: Question): PromptMessage {
  for (const image of images) assertNoAddress(image);
  return { role: "user", content: images.length > 0 ? withImageMark(text) : text };
}

/** The hub fetches no addresses of callers: it could reach servers that only it can reach. */
function assertNoAddress(image: string): void {
  if (image.startsWith("data:")) return;
  throw new HubError("image_invalid", {
    message: "The hub does not fetch images. Send the image as a data URI.",
  });
}
