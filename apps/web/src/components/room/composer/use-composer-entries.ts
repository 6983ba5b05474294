import { exactCount } from "../../../counts.ts";
import { LockIcon, OffRecordIcon, StarIcon, TalkIcon } from "../../icons.tsx";
import type { Entries } from "../../ui/entries.ts";
import { usePageEntries } from "../../ui/page-entries.ts";
import { messageCount, resetTime } from "../quota-messages.ts";
import { useRoomContext } from "../room-context.ts";
import type { MessageKind } from "../room-storage.ts";
import type { NextMessage } from "./use-next-message.ts";
import { usePrivateChat } from "./use-private-chat.ts";

/** The entries of the composer's menu: everything but text, image and send. */
export function useComposerEntries(next: NextMessage, onExplain: () => void): () => Entries {
  const { room, left, draft, setDraft, path, input, isPrivate, wantsPrivate } = useRoomContext();
  const privateChat = usePrivateChat();
  const { kind } = draft;
  const turn = (to: MessageKind) => () => {
    setDraft({ kind: kind === to ? "question" : to });
    input.current?.focus();
  };
  const entries = (): Entries => {
    // In a room that answers when addressed, a message without a mention gets no reply either.
    const isAmongPeople = room.online_count > 1 && room.room?.answers !== "addressed";
    const isFirst = path.shown.length === 0;
    // Only a question makes the room private.
    const mayGoWithoutReply = isPrivate || !wantsPrivate;
    return [
      left &&
        next.isQuestion &&
        (left.deep_think_available
          ? {
              name: "Deep think",
              icon: StarIcon,
              note: `Uses ${messageCount(left.deep_think_cost)}`,
              isOn: next.deepThink,
              run: () => next.setDeepThink(!next.deepThink),
            }
          : { name: "Deep think", icon: LockIcon, note: "Not available now", run: onExplain }),
      isFirst &&
        privateChat &&
        next.isQuestion && {
          name: "Private chat",
          icon: LockIcon,
          isOn: privateChat.isOn,
          run: privateChat.toggle,
        },
      (kind === "remark" || (next.isQuestion && isAmongPeople && mayGoWithoutReply)) && {
        name: "No reply",
        icon: TalkIcon,
        note: "A soul reads it later",
        isOn: kind === "remark",
        run: turn("remark"),
      },
      (kind === "off-record" || (next.isQuestion && mayGoWithoutReply)) && {
        name: "Off the record",
        icon: OffRecordIcon,
        note: "A soul never reads it",
        isOn: kind === "off-record",
        run: turn("off-record"),
      },
      left && {
        name: `${exactCount(left.daily_remaining)} of ${messageCount(left.daily_limit)} left today. Resets at ${resetTime(left)}.`,
      },
    ];
  };
  usePageEntries(entries);
  return entries;
}
