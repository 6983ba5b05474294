import { useQuery } from "@tanstack/react-query";
import { hubInfo } from "../../queries.ts";
import { SendVerification } from "./send-verification.tsx";

/** Asks the member to verify the address. Until then the member may not publish (0059). */
export function UnverifiedNotice({ email }: { email: string }) {
  const { data: about } = useQuery(hubInfo);
  if (!about?.mail || about.email_verification !== "required") return null;
  return (
    <aside className="note note--bar" data-tone="warn" aria-label="Your address is not verified">
      <p>
        Before you can publish, open the link that we mailed to <strong>{email}</strong>.
      </p>
      <SendVerification />
    </aside>
  );
}
