import "../components/layout/layout.css";
import "../components/layout/print.css";
import { Outlet } from "@tanstack/react-router";
import { Hotkeys } from "../components/keys/hotkeys.tsx";
import { Footer } from "../components/layout/footer.tsx";
import { Header } from "../components/layout/header.tsx";
import { PhoneNav } from "../components/layout/phone-nav.tsx";

export function RootLayout() {
  return (
    <>
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <Header />
      <PhoneNav />
      <main id="main" tabIndex={-1} style={{ outline: "none" }}>
        <Outlet />
      </main>
      <Footer />
      <Hotkeys />
    </>
  );
}
