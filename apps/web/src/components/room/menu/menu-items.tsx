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
import { useCopyRoom } from "./use-copy-room.ts";

/** The room's menu, mounted open. It contains only the actions that the reader may take. */
export function MenuItems() {
  const { soul, room, isOwner, isGuest, isPrivate, setDialog, menuButton } = useRoomContext();
  const copy = useCopyRoom();
  const hasMessages = room.messages.length > 0;
  // Shares of a private or gated soul show nothing.
  const mayShare = isOwner && hasMessages && soul.is_public === 1 && !soul.nft_contract;
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
        {!isPrivate && (
          <Menu.Item leftSection={<LinkIcon size={18} />} onClick={() => setDialog("invite")}>
            Invite into this room
          </Menu.Item>
        )}
        {isOwner && (
          <Menu.Item leftSection={<PeopleIcon size={18} />} onClick={() => setDialog("people")}>
            {isPrivate ? "People and invites" : "People and rights"}
          </Menu.Item>
        )}
        {mayShare && (
          <Menu.Item leftSection={<ShareIcon size={18} />} onClick={() => setDialog("share")}>
            Share to read only
          </Menu.Item>
        )}
        {isGuest && (
          <Menu.Item leftSection={<UserIcon size={18} />} onClick={() => setDialog("guest-name")}>
            Choose your name
          </Menu.Item>
        )}
        {hasMessages && (
          <Menu.Item leftSection={<DownloadIcon size={18} />} onClick={() => setDialog("export")}>
            Export
          </Menu.Item>
        )}
        {hasMessages && !isGuest && (
          <Menu.Item leftSection={<CopyIcon size={18} />} onClick={copy}>
            Copy to a room of my own
          </Menu.Item>
        )}
        {isOwner && room.room && (
          <Menu.Item leftSection={<EditIcon size={18} />} onClick={() => setDialog("title")}>
            Rename
          </Menu.Item>
        )}
        {hasMessages && !isOwner && (
          <Menu.Item leftSection={<FlagIcon size={18} />} onClick={() => setDialog("report")}>
            Report this room
          </Menu.Item>
        )}
        {isOwner && (
          <>
            <Menu.Divider />
            <Menu.Item
              color="var(--bad-text)"
              leftSection={<TrashIcon size={18} />}
              onClick={() => setDialog("delete")}
            >
              Delete the conversation
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
