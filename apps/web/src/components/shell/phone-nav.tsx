import "./phone-nav.css";
import { Link } from "@tanstack/react-router";
import { ChatsLink } from "./chats-link.tsx";

/** The links for which the header of a phone has no room. They scroll away with the page. */
export function PhoneNav() {
  return (
    <nav className="phone-nav" aria-label="Main pages">
      <Link to="/" activeOptions={{ exact: true, includeSearch: false }}>
        Souls
      </Link>
      <Link to="/apps">Mini apps</Link>
      <ChatsLink />
      <Link to="/publish">Publish</Link>
    </nav>
  );
}
