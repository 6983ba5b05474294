import "../components/ui/text.css";
import "../components/ui/boxes.css";
import "../components/ui/items.css";
import "../components/shell/layout.css";
import "../components/shell/print.css";
import { useQuery } from "@tanstack/react-query";
import { Outlet, useLocation } from "@tanstack/react-router";
import { Confirm } from "../components/feedback/confirm.tsx";
import { Hotkeys } from "../components/keys/hotkeys.tsx";
import { StaffNote } from "../components/moderation/staff-note.tsx";
import { Footer } from "../components/shell/footer.tsx";
import { Header } from "../components/shell/header.tsx";
import { PhoneNav } from "../components/shell/phone-nav.tsx";
import { lazyPart } from "../components/ui/lazy-part.tsx";
import { me } from "../queries.ts";

const RoomWatch = lazyPart(() => import("../components/room-list/room-watch.tsx"), "RoomWatch");

const UnverifiedNotice = lazyPart(
  () => import("../components/account/unverified-notice.tsx"),
  "UnverifiedNotice",
);
const StandingBanner = lazyPart(
  () => import("../components/moderation/standing-banner.tsx"),
  "StandingBanner",
);

export function RootLayout() {
  const { data: user } = useQuery(me);
  // A room fills the whole window, and needs no verified address.
  const path = useLocation({ select: ({ pathname }) => pathname });
  const isRoom = path.startsWith("/chat/");
  return (
    <>
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <Header />
      <PhoneNav />
      {user?.moderation && <StandingBanner standing={user.moderation} />}
      {user && !user.email_verified && !isRoom && <UnverifiedNotice email={user.email} />}
      {path === "/" && <StaffNote />}
      <main id="main" tabIndex={-1} style={{ outline: "none" }}>
        <Outlet />
      </main>
      <Footer />
      <Hotkeys />
      <Confirm />
      {user && <RoomWatch username={user.username} />}
    </>
  );
}
