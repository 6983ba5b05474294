import { Menu, type MenuItemProps, UnstyledButton } from "@mantine/core";
import { createLink, useNavigate } from "@tanstack/react-router";
import type { Me } from "../../queries.ts";
import { PersonAvatar } from "../account/person-avatar.tsx";
import { signOut } from "../account/sign-out.ts";
import {
  FileIcon,
  FlagIcon,
  LockIcon,
  PlusIcon,
  SignOutIcon,
  StarIcon,
  TalkIcon,
  UserIcon,
} from "../icons.tsx";
import { NewCount } from "../room-list/new-count.tsx";
import { accountButton } from "./account-news.ts";

const LinkItem = createLink((props: MenuItemProps) => <Menu.Item component="a" {...props} />);

const links = [
  ["/publish", PlusIcon, "Publish a soul"],
  ["/my-souls", FileIcon, "My souls"],
  ["/my-chats", TalkIcon, "My chats"],
  ["/u/$username", StarIcon, "My profile"],
  ["/settings", UserIcon, "Settings"],
  ["/notices", FlagIcon, "Notices"],
] as const;

/** The account menu, mounted open. The header mounts the menu on the first click of the avatar. */
export function AccountMenu({ user }: { user: Me }) {
  const navigate = useNavigate();
  const { username, unread_notices, open_cases } = user;
  return (
    <Menu
      position="bottom-end"
      width={220}
      defaultOpened
      // Without a portal, the menu stays in the header. Without Mantine's focus placeholder, all
      // children of the menu are menu items, as the ARIA menu pattern asks.
      withinPortal={false}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <UnstyledButton {...accountButton(user)}>
          <PersonAvatar name={username} size={36} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{username}</Menu.Label>
        {links.map(([to, Icon, name]) => (
          <LinkItem key={to} to={to} params={{ username }} leftSection={<Icon size={18} />}>
            {name} {to === "/notices" && <NewCount count={unread_notices} what="new" />}
          </LinkItem>
        ))}
        {open_cases !== undefined && (
          <LinkItem to="/admin" leftSection={<LockIcon size={18} />}>
            Moderation <NewCount count={open_cases} what="open" />
          </LinkItem>
        )}
        <Menu.Divider />
        <Menu.Item
          leftSection={<SignOutIcon size={18} />}
          onClick={() => void signOut(() => navigate({ to: "/" }))}
        >
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
