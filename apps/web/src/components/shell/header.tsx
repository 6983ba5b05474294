import "./header.css";
import { UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { useState } from "react";
import { type Me, me } from "../../queries.ts";
import { PersonAvatar } from "../account/person-avatar.tsx";
import { PlusIcon } from "../icons.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { accountButton } from "./account-news.ts";
import { ChatsLink } from "./chats-link.tsx";
import { ColorSchemeToggle } from "./color-scheme-toggle.tsx";
import { HubMark } from "./hub-mark.tsx";
import { SearchField } from "./search-field.tsx";

const loadAccountMenu = () => import("./account-menu.tsx");
const AccountMenu = lazyPart(loadAccountMenu, "AccountMenu");

export function Header() {
  const { data: user, isPending } = useQuery(me);
  const here = useLocation({ select: ({ href }) => href });
  const isSignInPage = here.startsWith("/sign-");
  return (
    <header className="header">
      <div className="header__row">
        <Link to="/" className="header__home" aria-label="Soul Hub, all souls">
          <HubMark />
          <span className="header__name">Soul Hub</span>
        </Link>
        <Link to="/apps" className="header__link">
          Mini apps
        </Link>
        <ChatsLink className="header__link header__chats" />
        <div className="header__search">
          <SearchField />
        </div>
        <div className="header__end">
          <ColorSchemeToggle />
          <LinkButton
            to="/publish"
            className="header__wide"
            variant="default"
            leftSection={<PlusIcon size={18} />}
          >
            Publish
          </LinkButton>
          {user && <Account user={user} />}
          {!user && !isPending && !isSignInPage && (
            <LinkButton to="/sign-in" search={here === "/" ? {} : { next: here }}>
              Sign in
            </LinkButton>
          )}
        </div>
      </div>
    </header>
  );
}

/**
 * The member's avatar, which opens the account menu. The menu's code is large, so it loads only
 * when the pointer reaches the avatar or the avatar is clicked.
 */
function Account({ user }: { user: Me }) {
  const [isOpened, setIsOpened] = useState(false);
  const avatar = (
    <UnstyledButton
      {...accountButton(user)}
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={() => void loadAccountMenu().catch(() => {})}
      onClick={() => setIsOpened(true)}
    >
      <PersonAvatar name={user.username} size={36} />
    </UnstyledButton>
  );
  return isOpened ? <AccountMenu user={user} fallback={avatar} /> : avatar;
}
