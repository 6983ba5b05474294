import "./footer.css";
import { Link } from "@tanstack/react-router";

/** The footer of every page except rooms, which fill the window. */
export function Footer() {
  return (
    <footer className="small footer">
      <div className="row footer__row">
        <span>Soul Hub</span>
        <Link to="/">All souls</Link>
        <Link to="/apps">Mini apps</Link>
        <Link to="/publish">Publish a soul</Link>
        <a href="/docs">API</a>
      </div>
    </footer>
  );
}
