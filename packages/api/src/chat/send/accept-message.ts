import type { z } from "zod";
import { participantId } from "../../caller/caller.ts";
import type { CallContext } from "../../context.ts";
import { HubError, invalidField } from "../../errors.ts";
import { quotaAccount } from "../../quota/quota.service.ts";
import type { Participant } from "../../rooms/ports/presence-store.ts";
import { type AuthorizedRoom, authorizeRoom } from "../access/authorize-room.ts";
import { assertMayTalk } from "../access/may-talk.ts";
import { canOwn, participantOf } from "../access/room-participant.ts";
import { type AddressedSoul, addressedSouls } from "../addressing/addressed-souls.ts";
import { withImageMark, withoutImageMark } from "../content/chat-image.ts";
import type { GivenMessage } from "../content/read-message.ts";
import type { PromptImage } from "../models/model-port.ts";
import type { RememberedRoom } from "../prompt/room-memory.queries.ts";
import { type RoomState, roomStateOf } from "../storing/store-messages.ts";
import { type BranchPoint, type FormerQuestion, findBranchPoint } from "../tree/branch-point.ts";
import type { newChatMessage } from "./send-message.schema.ts";

/** A message as its sender gives it. */
export type NewMessage = Omit<z.infer<typeof newChatMessage>, "action">;

/** A message whose sender may ask the souls. */
export interface AcceptedMessage {
  input: NewMessage;
  room: AuthorizedRoom<RememberedRoom>;
  roomState: RoomState;
  sender: Participant;
  image: PromptImage | undefined;
  /** The chosen place in the room's tree; undefined continues the path. */
  branch: BranchPoint | undefined;
  /** The souls that reply, in this order. */
  souls: readonly AddressedSoul[];
}

/**
 * Reads the room, the place in its tree and the souls that reply, and checks the caller's rights to
 * them. A refusal costs no quota unit.
 * @param image the decoded image of the message
 * @throws HubError those of authorizeRoom, findBranchPoint and addressedSouls, `muted`,
 *   `private_session`, `image_not_allowed`, `deep_think_not_allowed`
 */
export async function acceptMessage(
  ctx: CallContext,
  input: NewMessage,
  image: PromptImage | undefined,
): Promise<AcceptedMessage> {
  // One statement reads the room's row and its messages, so that both are from the same moment.
  const room = await authorizeRoom(ctx, input, ctx.hub.memories);
  const { record } = room;
  const sender = participantOf(ctx);
  assertMayTalk(record, sender);
  const branch = await findBranchPoint(ctx, record, input);
  const former = branch?.regenerates;
  if (former) assertSameImage(former, input.image);
  const { to, version } = input;
  const { content } = former ?? input;
  const address = { to, version, content, isRegeneration: former !== undefined };
  const souls = await addressedSouls(ctx, room, address);
  assertMayTurnPrivate(ctx, input, record);
  const { limits } = quotaAccount(ctx);
  if (image && !limits.allow_image) throw new HubError("image_not_allowed");
  if (input.deep_think && !limits.deep_think_cost) throw new HubError("deep_think_not_allowed");
  const roomState = roomStateOf(record, input.is_private);
  return { input, room, roomState, sender, image, branch, souls };
}

/** Returns the text of a message as the room stores it. */
export const shownText = ({ input: { content }, image }: AcceptedMessage): string =>
  image ? withImageMark(content) : content;

/** @throws HubError `invalid_input` unless the question's image is given again */
function assertSameImage({ content }: FormerQuestion, image: GivenMessage["image"]): void {
  const hasImage = withoutImageMark(content) !== undefined;
  if (hasImage === (typeof image === "string")) return;
  const message = hasImage ? "is needed again: the question has one" : "the question has none";
  throw invalidField("image", message);
}

/** In a room that is private already, `is_private` changes nothing, and a member may send it. */
function assertMayTurnPrivate(
  ctx: CallContext,
  { is_private }: NewMessage,
  record: RememberedRoom | undefined,
): void {
  if (!is_private || record?.is_private) return;
  const isOthers = record && record.owner !== participantId(ctx.caller);
  if (isOthers || !canOwn(ctx)) throw new HubError("private_session");
}
