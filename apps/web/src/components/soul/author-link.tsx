import { Link } from "@tanstack/react-router";

export function AuthorLink({ username }: { username: string }) {
  return (
    <Link to="/u/$username" params={{ username }} className="author-link">
      {username}
    </Link>
  );
}
