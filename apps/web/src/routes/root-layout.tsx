import "../components/ui/text.css";
import "../components/ui/boxes.css";
import "../components/ui/items.css";
import "../components/shell/layout.css";
import "../components/shell/print.css";
import { useQuery } from "@tanstack/react-query";
import { Outlet, useLocation } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { Hotkeys } from "../components/keys/hotkeys.tsx";
import { Footer } from "../components/shell/footer.tsx";
import { Header } from "../components/shell/header.tsx";
import { PhoneNav } from "../components/shell/phone-nav.tsx";
import { me } from "../queries.ts";

const RoomWatch = lazy(() =>
  import("../components/room-list/room-watch.tsx").then((module) => ({
    default: module.RoomWatch,
  })),
);

const UnverifiedNotice = lazy(() =>
  import("../components/account/unverified-notice.tsx").then((module) => ({
    default: module.UnverifiedNotice,
  })),
);
const StandingBanner = lazy(() =>
  import("../components/moderation/standing-banner.tsx").then((module) => ({
    default: module.StandingBanner,
  })),
);

export function RootLayout() {
  const { data: user } = useQuery(me);
  // A room fills the whole window, and needs no verified address.
  const isRoom = useLocation({ select: ({ pathname }) => pathname.startsWith("/chat/") });
  return (
    <>
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <Header />
      <PhoneNav />
      {user?.moderation && (
        <Suspense>
          <StandingBanner standing={user.moderation} />
        </Suspense>
      )}
      {user && !user.email_verified && !isRoom && (
        <Suspense>
          <UnverifiedNotice email={user.email} />
        </Suspense>
      )}
      <main id="main" tabIndex={-1} style={{ outline: "none" }}>
        <Outlet />
      </main>
      <Footer />
      <Hotkeys />
      {user && (
        <Suspense>
          <RoomWatch username={user.username} />
        </Suspense>
      )}
    </>
  );
}
