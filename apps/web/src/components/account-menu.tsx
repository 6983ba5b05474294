import { Menu, UnstyledButton } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { failureOf } from "../failures.ts";
import { hub } from "../hub.ts";
import { forgetEverything } from "../queries.ts";
import { FileIcon, PlusIcon, SignOutIcon, StarIcon, TalkIcon, UserIcon } from "./icons.tsx";
import { PersonAvatar } from "./person-avatar.tsx";
import { toast } from "./toasts.tsx";

export function AccountMenu({ username }: { username: string }) {
  const navigate = useNavigate();
  const signOut = async () => {
    try {
      await hub.accounts.logout.mutate();
      await navigate({ to: "/" });
      await forgetEverything();
      void toast({ message: "You are signed out. See you soon." });
    } catch (error) {
      const { title, hint } = failureOf(error);
      void toast({ color: "red", title, message: hint });
    }
  };
  return (
    <Menu
      position="bottom-end"
      width={220}
      // Inside the header, and with nothing but its items: so screen readers take it for a menu.
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
        <Menu.Item
          leftSection={<PlusIcon size={18} />}
          renderRoot={(props) => <Link to="/publish" {...props} />}
        >
          Publish a soul
        </Menu.Item>
        <Menu.Item
          leftSection={<FileIcon size={18} />}
          renderRoot={(props) => <Link to="/my-souls" {...props} />}
        >
          My souls
        </Menu.Item>
        <Menu.Item
          leftSection={<TalkIcon size={18} />}
          renderRoot={(props) => <Link to="/my-chats" {...props} />}
        >
          My chats
        </Menu.Item>
        <Menu.Item
          leftSection={<StarIcon size={18} />}
          renderRoot={(props) => <Link to="/u/$username" params={{ username }} {...props} />}
        >
          My profile
        </Menu.Item>
        <Menu.Item
          leftSection={<UserIcon size={18} />}
          renderRoot={(props) => <Link to="/settings" {...props} />}
        >
          Settings
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<SignOutIcon size={18} />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
