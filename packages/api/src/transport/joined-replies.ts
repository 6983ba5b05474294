import type { OnDelta, StreamedReply } from "../context.ts";

/** Several souls of a room may reply; a client of `/v1` or `/mcp` reads one text. */
const SEPARATOR = "\n\n";

/** Among several replies, each begins with the name of its soul. */
const headOf = (speaker: string): string => `${speaker}:\n`;

interface Sent {
  reply: string;
  /** Undefined if one soul was asked. */
  replies?: readonly { sender_name: string; reply: string }[] | undefined;
}

/** Returns the replies to a message as one text. A soul that failed is left out. */
export const joinReplies = ({ reply, replies }: Sent): string =>
  replies
    ?.filter((one) => one.reply !== "")
    .map((one) => headOf(one.sender_name) + one.reply)
    .join(SEPARATOR) ?? reply;

/** Joins the streamed pieces in the same way. */
export function joinPieces(onText: (text: string) => void): OnDelta {
  let streamed: StreamedReply | undefined;
  return (text, of, speaker) => {
    const isNew = of !== streamed && speaker !== undefined;
    const between = isNew && streamed ? SEPARATOR : "";
    streamed = of;
    onText(isNew ? between + headOf(speaker) + text : text);
  };
}
