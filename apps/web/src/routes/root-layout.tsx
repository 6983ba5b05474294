import "../components/layout.css";
import { Outlet } from "@tanstack/react-router";
import { Footer } from "../components/footer.tsx";
import { Header } from "../components/header.tsx";

export function RootLayout() {
  return (
    <>
      <a className="skip-link" href="#main">
        Skip to the page
      </a>
      <Header />
      <main id="main" tabIndex={-1} style={{ outline: "none" }}>
        <Outlet />
      </main>
      <Footer />
    </>
  );
}
