import { toastFailure } from "../../feedback/toasts.tsx";
import {
  CopyIcon,
  DownloadIcon,
  EditIcon,
  FlagIcon,
  LockIcon,
  PeopleIcon,
  ShareIcon,
  TrashIcon,
  UserIcon,
} from "../../icons.tsx";
import type { Entries } from "../../ui/entries.ts";
import { usePageEntries } from "../../ui/page-entries.ts";
import { useRoomContext } from "../room-context.ts";
import type { RoomDialog } from "../room-dialog.ts";
import { useCopyRoom } from "./use-copy-room.ts";
import { useDeleteConversation } from "./use-delete-conversation.ts";

/** The entries of the room's menu. It contains only the actions that the reader may take. */
export function useRoomEntries(): () => Entries {
  const { room, isOwner, mayChange, isWithdrawn, isGuest, isPrivate, ...page } = useRoomContext();
  const copy = useCopyRoom();
  const remove = useDeleteConversation();
  const hasMessages = room.messages.length > 0;
  const open = (dialog: RoomDialog) => () => page.setDialog(dialog);
  const entries = (): Entries => [
    !isPrivate &&
      !isWithdrawn && {
        name: "Invite into this room",
        icon: PeopleIcon,
        keywords: "Copy link",
        run: open("invite"),
      },
    mayChange && {
      name: "Who may enter",
      icon: LockIcon,
      keywords: "People and rights, People and invites, Private, Who may write",
      run: () => page.panel.show("rights"),
    },
    page.mayShare &&
      hasMessages && { name: "Share to read only", icon: ShareIcon, run: open("share") },
    isGuest && { name: "Choose your name", icon: UserIcon, run: open("guest-name") },
    hasMessages && { name: "Export", icon: DownloadIcon, run: open("export") },
    hasMessages &&
      !isGuest &&
      !isWithdrawn && {
        name: "Copy to a room of my own",
        icon: CopyIcon,
        run: copy,
      },
    mayChange && room.room !== undefined && { name: "Rename", icon: EditIcon, run: open("title") },
    hasMessages && !isOwner && { name: "Report this room", icon: FlagIcon, run: open("report") },
    isOwner && {
      name: "Delete the conversation",
      icon: TrashIcon,
      tone: "bad",
      run: () => void remove().catch(toastFailure),
    },
  ];
  usePageEntries(entries);
  return entries;
}
