import { Menu, type MenuItemProps, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createLink, useNavigate } from "@tanstack/react-router";
import { me } from "../../queries.ts";
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

const LinkItem = createLink((props: MenuItemProps) => <Menu.Item component="a" {...props} />);

const links = [
  ["/publish", PlusIcon, "Publish a soul"],
  ["/my-souls", FileIcon, "My souls"],
  ["/my-chats", TalkIcon, "My chats"],
  ["/u/$username", StarIcon, "My profile"],
  ["/settings/{-$group}", UserIcon, "Settings"],
  ["/notices", FlagIcon, "Notices and reports"],
] as const;

/** The account menu, mounted open. The header mounts the menu on the first click of the avatar. */
export function AccountMenu({ username }: { username: string }) {
  const navigate = useNavigate();
  const { data: user } = useQuery(me);
  const isStaff = user && user.role !== "member";
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
        <UnstyledButton aria-label={`Your account, ${username}`} style={{ borderRadius: "50%" }}>
          <PersonAvatar name={username} size={36} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{username}</Menu.Label>
        {links.map(([to, Icon, name]) => (
          <LinkItem key={to} to={to} params={{ username }} leftSection={<Icon size={18} />}>
            {name}
          </LinkItem>
        ))}
        {isStaff && (
          <LinkItem to="/admin" leftSection={<LockIcon size={18} />}>
            Moderation
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
