import { useState } from "react";
import { countCharacters } from "../../../soul-files.ts";
import { unitsOf } from "../quota-messages.ts";
import { useRoomContext } from "../room-context.ts";
import { useMentionRules } from "./mentions/use-mention-rules.ts";

/** The options of the next message, its price, and what stops it. */
export function useNextMessage() {
  const { room, left, draft, image: choice, ...page } = useRoomContext();
  const { text, kind } = draft;
  const [wantsDeepThink, setDeepThink] = useState(false);
  const isQuestion = kind === "question";
  const image = isQuestion ? choice.image : undefined;
  // Deep think is left out if the remaining quota has dropped below the cost of deep think.
  const deepThink = isQuestion && wantsDeepThink && left?.deep_think_available === true;
  const rules = useMentionRules(text);
  const mentioned = rules?.mentionedSouls(text, room.room?.souls ?? []).length ?? 0;
  // Without a mention, the room's own soul replies, or none (0041).
  const asked = isQuestion ? mentioned || (room.room?.answers === "addressed" ? 0 : 1) : 0;
  const characters = countCharacters(text);
  const max = left?.max_input_chars ?? Number.POSITIVE_INFINITY;
  const isTooLong = characters > max;
  const isUsedUp = asked > 0 && left?.daily_remaining === 0;
  const hasContent = /\S/.test(text) || image !== undefined;
  const isPreparing = isQuestion && choice.isPreparing;
  return {
    image,
    isQuestion,
    deepThink,
    setDeepThink,
    /** The number of souls that reply. */
    asked,
    /** The number of messages of the quota that the message uses. */
    units: left ? unitsOf(left, deepThink) * asked : 0,
    characters,
    max,
    isTooLong,
    isUsedUp,
    hasContent,
    canSend: page.maySend && hasContent && !isTooLong && !isPreparing && !isUsedUp,
  };
}

export type NextMessage = ReturnType<typeof useNextMessage>;
