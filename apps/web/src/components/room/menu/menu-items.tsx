import { ActionIcon, Menu } from "@mantine/core";
import {
  CopyIcon,
  DownloadIcon,
  EditIcon,
  FlagIcon,
  LinkIcon,
  MoreIcon,
  PeopleIcon,
  ShareIcon,
  TrashIcon,
  UserIcon,
} from "../../icons.tsx";
import { useRoomContext } from "../room-context.ts";
import type { RoomDialog } from "../room-dialog.ts";
import { useCopyRoom } from "./use-copy-room.ts";
import { useDeleteConversation } from "./use-delete-conversation.ts";

type Entry = readonly [isOffered: boolean, Icon: typeof LinkIcon, name: string, run: () => void];

/** The room's menu, mounted open. It contains only the actions that the reader may take. */
export function MenuItems() {
  const { soul, room, isOwner, mayChange, isWithdrawn, isGuest, isPrivate, ...page } =
    useRoomContext();
  const { setDialog, menuButton } = page;
  const copy = useCopyRoom();
  const remove = useDeleteConversation();
  const hasMessages = room.messages.length > 0;
  const open = (dialog: RoomDialog) => () => setDialog(dialog);
  // Shares of a private or gated soul show nothing.
  const mayShare = mayChange && hasMessages && soul.is_public === 1 && !soul.nft_contract;
  const entries: readonly Entry[] = [
    [!isPrivate && !isWithdrawn, LinkIcon, "Invite into this room", open("invite")],
    [mayChange, PeopleIcon, isPrivate ? "People and invites" : "People and rights", open("people")],
    [mayShare, ShareIcon, "Share to read only", open("share")],
    [isGuest, UserIcon, "Choose your name", open("guest-name")],
    [hasMessages, DownloadIcon, "Export", open("export")],
    [hasMessages && !isGuest && !isWithdrawn, CopyIcon, "Copy to a room of my own", copy],
    [mayChange && room.room !== undefined, EditIcon, "Rename", open("title")],
    [hasMessages && !isOwner, FlagIcon, "Report this room", open("report")],
  ];
  return (
    <Menu
      position="bottom-end"
      width={250}
      defaultOpened
      // Without a portal, the menu stays in the room's bar. Without Mantine's focus placeholder, all
      // children of the menu are menu items, as the ARIA menu pattern asks.
      withinPortal={false}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <ActionIcon ref={menuButton} size={40} radius="xl" aria-label="Room menu">
          <MoreIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown
        aria-label="Room menu"
        // Mantine would return the focus to the button of the menu that wasn't loaded yet.
        onKeyDown={({ key }) => {
          if (key === "Escape") menuButton.current?.focus();
        }}
      >
        {entries.map(
          ([isOffered, Icon, name, run]) =>
            isOffered && (
              <Menu.Item key={name} leftSection={<Icon size={18} />} onClick={run}>
                {name}
              </Menu.Item>
            ),
        )}
        {isOwner && (
          <>
            <Menu.Divider />
            <Menu.Item
              color="var(--bad-text)"
              leftSection={<TrashIcon size={18} />}
              onClick={() => void remove()}
            >
              Delete the conversation
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
