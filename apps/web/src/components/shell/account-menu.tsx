import { useNavigate } from "@tanstack/react-router";
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
import { type Entries, More } from "../ui/more.tsx";
import { usePageEntries } from "../ui/page-entries.ts";

interface AccountMenuProps {
  user: { username: string; role: string };
}

/** The member's picture, which opens the menu of the account. */
export function AccountMenu({ user: { username, role } }: AccountMenuProps) {
  const navigate = useNavigate();
  const entries = (): Entries => [
    { name: "Publish a soul", icon: PlusIcon, link: { to: "/publish" } },
    { name: "My souls", icon: FileIcon, link: { to: "/my-souls" } },
    { name: "My chats", icon: TalkIcon, link: { to: "/my-chats" } },
    { name: "My profile", icon: StarIcon, link: { to: "/u/$username", params: { username } } },
    { name: "Settings", icon: UserIcon, link: { to: "/settings/{-$group}" } },
    { name: "Notices and reports", icon: FlagIcon, link: { to: "/notices" } },
    role !== "member" && { name: "Moderation", icon: LockIcon, link: { to: "/admin" } },
    {
      name: "Sign out",
      icon: SignOutIcon,
      isApart: true,
      run: () => void signOut(() => navigate({ to: "/" })),
    },
  ];
  usePageEntries(entries);
  return (
    <More label={`Your account, ${username}`} entries={entries} size={36} variant="transparent">
      <PersonAvatar name={username} size={36} />
    </More>
  );
}
