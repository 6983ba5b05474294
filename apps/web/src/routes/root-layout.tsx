import "../components/layout/layout.css";
import { Outlet } from "@tanstack/react-router";
import { Footer } from "../components/layout/footer.tsx";
import { Header } from "../components/layout/header.tsx";

export function RootLayout() {
  return (
    <>
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <Header />
      <main id="main" tabIndex={-1} style={{ outline: "none" }}>
        <Outlet />
      </main>
      <Footer />
    </>
  );
}
