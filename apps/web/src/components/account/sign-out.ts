import { hub } from "../../hub.ts";
import { resetQueries } from "../../queries.ts";
import { GUEST_IS_KEPT, writeItem } from "../../stored-item.ts";
import { toast, toastFailure } from "../feedback/toasts.tsx";
import { sendDeletions } from "../feedback/waiting-deletions.ts";

/**
 * Signs the member out.
 * @param leave opens another page before the present one loses its account
 */
export async function signOut(leave?: () => Promise<void>): Promise<void> {
  try {
    await sendDeletions();
    await hub.accounts.logout.mutate();
    writeItem(GUEST_IS_KEPT, undefined);
    await leave?.();
    await resetQueries();
    void toast({ message: "You are signed out." });
  } catch (error) {
    toastFailure(error);
  }
}
