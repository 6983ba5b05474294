import "./header.css";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { me } from "../../queries.ts";
import { PlusIcon } from "../icons.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { ChatsLink } from "./chats-link.tsx";
import { ColorSchemeToggle } from "./color-scheme-toggle.tsx";
import { HubMark } from "./hub-mark.tsx";
import { SearchField } from "./search-field.tsx";

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
          {user && <AccountMenu user={user} />}
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
