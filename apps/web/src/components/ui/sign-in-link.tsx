import type { ButtonProps } from "@mantine/core";
import { Link, useLocation } from "@tanstack/react-router";
import { LinkButton } from "./link-button.tsx";

/** A link to the sign-in page. After signing in, the user returns to the current page. */
export function SignInLink() {
  const next = useLocation({ select: ({ href }) => href });
  return (
    <Link to="/sign-in" search={{ next }}>
      Sign in
    </Link>
  );
}

interface AccountButtonProps extends ButtonProps {
  to: "/sign-in" | "/sign-up";
}

/** A button to the page for signing in or up, from which the user returns to the current page. */
export function AccountButton(props: AccountButtonProps) {
  const next = useLocation({ select: ({ href }) => href });
  return <LinkButton search={{ next }} {...props} />;
}
