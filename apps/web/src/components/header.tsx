import "./header.css";
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useRouterState } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { me } from "../queries.ts";
import { ColorSchemeToggle } from "./color-scheme-toggle.tsx";
import { HubMark } from "./hub-mark.tsx";
import { PlusIcon } from "./icons.tsx";
import { PersonAvatar } from "./person-avatar.tsx";
import { SearchField } from "./search-field.tsx";

// Menus are the heaviest part of the page, and only members have one.
const AccountMenu = lazy(() =>
  import("./account-menu.tsx").then((module) => ({ default: module.AccountMenu })),
);

export function Header() {
  const { data: user, isPending } = useQuery(me);
  const here = useRouterState({ select: ({ location }) => location.href });
  const isSigning = here.startsWith("/sign-");
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
        <div className="header__search">
          <SearchField />
        </div>
        <div className="header__end">
          <ColorSchemeToggle />
          <Button
            className="header__wide"
            variant="default"
            leftSection={<PlusIcon size={18} />}
            renderRoot={(props) => <Link to="/publish" {...props} />}
          >
            Publish
          </Button>
          {user && (
            <Suspense fallback={<PersonAvatar name={user.username} size={36} />}>
              <AccountMenu username={user.username} />
            </Suspense>
          )}
          {!user && !isPending && !isSigning && <SignInButton next={here} />}
        </div>
      </div>
    </header>
  );
}

function SignInButton({ next }: { next: string }) {
  const search = next === "/" ? {} : { next };
  return (
    <Button renderRoot={(props) => <Link to="/sign-in" search={search} {...props} />}>
      Sign in
    </Button>
  );
}
