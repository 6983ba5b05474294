import { hub } from "../../../../hub.ts";
import type { RoomName } from "../../../../queries.ts";
import type { ChosenImage } from "../../prepare-image.ts";
import type { MessageKind } from "../../room-storage.ts";

export interface NewMessage {
  content: string;
  kind: MessageKind;
  image: ChosenImage | undefined;
  isPrivate: boolean;
  deepThink: boolean;
  /** The message to continue, 0 to begin another tree; undefined for the end of the room's path. */
  parentId?: number | undefined;
}

/** A soul that was asked together with others, and did not reply. */
export interface FailedReply {
  soul_id: number;
  title: string;
  /** Null if the reply did not begin. */
  reply_id: string | null;
  /** Id of the reply before it. */
  after: number;
  /** Error code of the hub. */
  error: string;
}

interface Delivery {
  /** Id of the first reply; of the message itself, if no soul replied. */
  message_id: number;
  /** False for a question that addressed no soul. */
  isAnswered: boolean;
  failed: readonly FailedReply[];
}

/**
 * Sends a message. Only a question reaches a model.
 * @throws what the call throws; nothing is stored then
 */
export async function deliver(
  name: RoomName,
  { content, kind, image, isPrivate, deepThink, parentId }: NewMessage,
): Promise<Delivery> {
  if (kind !== "question") {
    const said = { ...name, content, off_record: kind === "off-record" };
    const { message_id } = await hub.chat.say.mutate(said);
    return { message_id, isAnswered: true, failed: [] };
  }
  const answer = await hub.chat.send.mutate({
    ...name,
    content,
    image: image?.dataUri ?? null,
    is_private: isPrivate,
    deep_think: deepThink,
    parent_id: parentId,
  });
  const { message_id, answered, replies = [] } = answer;
  const failed: FailedReply[] = [];
  // The first soul has replied. Otherwise the call fails.
  let after = message_id;
  for (const { soul_id, sender_name: title, reply_id, error, message_id: stored } of replies) {
    if (error !== undefined) failed.push({ soul_id, title, reply_id, after, error });
    after = stored ?? after;
  }
  return { message_id, isAnswered: answered, failed };
}
