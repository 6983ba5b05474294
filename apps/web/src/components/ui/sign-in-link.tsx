import { Link, useLocation } from "@tanstack/react-router";

/** A link to the sign-in page. After signing in, the user returns to the current page. */
export function SignInLink() {
  const next = useLocation({ select: ({ href }) => href });
  return (
    <Link to="/sign-in" search={{ next }}>
      Sign in
    </Link>
  );
}
