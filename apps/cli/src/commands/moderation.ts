import type { HubCommand } from "../report.ts";

/** What the operator tells the account concerned. */
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

export const suspendAccount =
  (username: string, { days, lift, message }: Suspension): HubCommand =>
  async (hub) => {
    const answer = await hub.moderation.suspend.mutate({
      username,
      suspended: lift !== true,
      days: days ?? null,
      message_to_author: message,
    });
    return { json: answer, text: answer.message };
  };
