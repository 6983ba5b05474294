import { useNavigate } from "@tanstack/react-router";
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
import type { Entries } from "../ui/entries.ts";
import { More } from "../ui/more.tsx";
import { usePageEntries } from "../ui/page-entries.ts";
import { accountButton } from "./account-news.ts";

/** A name with the number of things that wait. */
const counted = (name: string, count: number) => (count > 0 ? `${name} ${count}` : name);

/** The member's picture, which opens the menu of the account. */
export function AccountMenu({ user }: { user: Me }) {
  const { username, unread_notices, open_cases } = user;
  const navigate = useNavigate();
  const entries = (): Entries => [
    { name: "Publish a soul", icon: PlusIcon, link: { to: "/publish" } },
    { name: "My souls", icon: FileIcon, link: { to: "/my-souls" } },
    { name: "My chats", icon: TalkIcon, link: { to: "/my-chats" } },
    { name: "My profile", icon: StarIcon, link: { to: "/u/$username", params: { username } } },
    { name: "Settings", icon: UserIcon, link: { to: "/settings/{-$group}" } },
    { name: counted("Notices", unread_notices), icon: FlagIcon, link: { to: "/notices" } },
    open_cases !== undefined && {
      name: counted("Moderation", open_cases),
      icon: LockIcon,
      link: { to: "/admin" },
    },
    {
      name: "Sign out",
      icon: SignOutIcon,
      isApart: true,
      run: () => void signOut(() => navigate({ to: "/" })),
    },
  ];
  usePageEntries(entries);
  return (
    <More {...accountButton(user)} entries={entries} size={36} variant="transparent">
      <PersonAvatar name={username} size={36} />
    </More>
  );
}
