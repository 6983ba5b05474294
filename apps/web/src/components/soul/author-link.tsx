import { Link } from "@tanstack/react-router";

export function AuthorLink({ username }: { username: string }) {
  return (
    <Link to="/u/$username" params={{ username }} className="quiet-link">
      {username}
    </Link>
  );
}
