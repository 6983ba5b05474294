import { useEffect } from "react";
import { copyText } from "../../../../copy-text.ts";
import { ask } from "../../../feedback/confirm.tsx";
import { toast } from "../../../feedback/toasts.tsx";
import {
  BanIcon,
  CopyIcon,
  EditIcon,
  FileIcon,
  FlagIcon,
  ShareIcon,
  SmileIcon,
  TrashIcon,
} from "../../../icons.tsx";
import type { Entries, Entry } from "../../../ui/entries.ts";
import { withoutImageMark } from "../../../ui/image-mark.ts";
import { MoreMenu } from "../../../ui/more.tsx";
import { useRoomContext } from "../../room-context.ts";
import type { ShownMessage } from "../use-older-messages.ts";
import { againEntry } from "./answer-again.ts";
import { loadPanels } from "./load-panels.ts";
import { branchQuestion, isOwn, mayEdit, mayRemove, mayRestrictSender } from "./reader.ts";
import type { OpenMenu, OpenTool } from "./tools.ts";

const COMMON = ["👍", "❤️", "😂", "🎉", "🤔", "👀"];

/** The open menu of a message. A room has one, because a long room has hundreds of messages. */
export function MessageMenu({ id, opener }: OpenMenu) {
  const { path, closeMenu, scroll } = useRoomContext();
  const line = path.shown.find((one) => one.id === id);
  const entries = useEntries(line);
  const quick = useReactions(line);
  // The code of the panels loads once the menu is shown, so that a panel opens at once. If that
  // fails, for example while the hub restarts, the panel loads it.
  useEffect(() => void loadPanels().catch(() => {}), []);
  const isGone = !line || line.removed === true || path.replaced.includes(id);
  useEffect(() => {
    if (!isGone) return;
    closeMenu();
    scroll.scroller.current?.focus({ preventScroll: true });
  });
  if (isGone) return null;
  return (
    <MoreMenu
      label="Message actions"
      entries={entries}
      quick={quick}
      opener={opener}
      position="bottom-start"
      onClose={closeMenu}
    />
  );
}

function useReactions(line: ShownMessage | undefined): Entries {
  const { reader, actions } = useRoomContext();
  if (!line || !reader.mayTalk) return [];
  return COMMON.map((emoji) => ({
    name: emoji,
    keywords: `React with ${emoji}`,
    run: () => void actions.react(line.id, emoji, true),
  }));
}

function useEntries(line: ShownMessage | undefined): Entries {
  const { reader, actions, path, room, openTool, scroll, mayShare, setDialog } = useRoomContext();
  if (!line) return [];
  const isReply = line.role === "assistant";
  const question = branchQuestion(line, path, room.room?.souls, reader);
  const isMine = isOwn(line, reader);
  // A guest can't change a text, but can ask its last question again with another one.
  const mayRewrite = !isReply && isMine && question !== undefined;
  const words = withoutImageMark(line.content) ?? line.content;
  const copy = async () => {
    const isCopied = await copyText(words);
    void toast({ message: isCopied ? "Copied" : "The browser did not allow copying." });
  };
  const tool = (name: string, icon: typeof EditIcon, which: OpenTool): Entry => ({
    name,
    icon,
    run: () => openTool({ id: line.id, tool: which }),
  });
  return [
    reader.mayTalk && tool("React with another emoji", SmileIcon, "react"),
    words !== "" && {
      name: isReply ? "Copy reply" : "Copy text",
      icon: CopyIcon,
      run: () => void copy(),
    },
    isReply && question && againEntry(question, line.made_by?.soul_id, reader, actions),
    (mayEdit(line, reader) || mayRewrite) && tool("Edit message", EditIcon, "edit"),
    line.made_by != null && tool("How this was made", FileIcon, "made"),
    mayShare &&
      line.audience !== "people" && {
        name: "Share up to here",
        icon: ShareIcon,
        run: () => setDialog("share", line.id),
      },
    mayRestrictSender(line, reader) && tool("Mute or ban the sender", BanIcon, "restrict"),
    reader.name !== undefined && !isMine && tool("Report message", FlagIcon, "report"),
    mayRemove(line, reader) && {
      name: "Remove message",
      icon: TrashIcon,
      tone: "bad",
      run: () =>
        ask({
          title: "Remove this message?",
          body: "Its text is deleted for everyone. This can't be undone.",
          verb: "Remove it",
          run: () => actions.remove(line.id),
          // A removed message has no button that could have the focus.
          next: scroll.scroller,
        }),
    },
  ];
}
