import { CommandFailure } from "../command-failure.ts";
import type { HubCommand } from "../report.ts";

/** The operator's message to the account concerned. */
interface Why {
  message?: string | undefined;
}

export const hideSoul =
  (soulId: number, hidden: boolean, { message }: Why): HubCommand =>
  async (hub) => {
    const answer = await hub.moderation.hide.mutate({
      soul_id: soulId,
      hidden,
      message_to_author: message,
    });
    return { json: answer, text: answer.message };
  };

interface Suspension extends Why {
  days?: number | undefined;
  /** True to lift the suspension. */
  lift?: true | undefined;
}

/** @throws CommandFailure `bad_arguments` for days of a suspension that is to be lifted */
export function suspendAccount(username: string, { days, lift, message }: Suspension): HubCommand {
  if (lift && days !== undefined) {
    throw new CommandFailure("bad_arguments", "Use either --days 7 or --lift, which ends it now.");
  }
  return async (hub) => {
    const answer = await hub.moderation.suspend.mutate({
      username,
      suspended: lift !== true,
      days: days ?? null,
      message_to_author: message,
    });
    return { json: answer, text: answer.message };
  };
}
