import { Failure } from "@soul-hub/program";
import { type HubCommand, saying } from "../report.ts";

/** The operator's message to the account concerned. */
interface Why {
  message?: string | undefined;
}

export const hideSoul = (
  soul_id: number,
  hidden: boolean,
  { message: message_to_author }: Why,
): HubCommand =>
  saying((hub) => hub.moderation.hide.mutate({ soul_id, hidden, message_to_author }));

interface Suspension extends Why {
  days?: number | null | undefined;
  /** True to lift the suspension. */
  lift?: true | undefined;
}

/** @throws Failure `bad_arguments` for days of a suspension that is to be lifted */
export function suspendAccount(
  username: string,
  { days = null, lift, message: message_to_author }: Suspension,
): HubCommand {
  if (lift && days !== null) {
    throw new Failure("bad_arguments", "Use either --days 7 or --lift, which ends it now.");
  }
  const suspended = lift !== true;
  return saying((hub) =>
    hub.moderation.suspend.mutate({ username, suspended, days, message_to_author }),
  );
}
