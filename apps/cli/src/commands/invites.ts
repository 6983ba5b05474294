import { alignedRows } from "@soul-hub/program";
import { type HubCommand, saying } from "../report.ts";

interface InviteOptions {
  uses: number;
  days: number;
  note?: string | undefined;
}

/** Creates an invite to register, and prints its link, the only time that it is shown. */
export const createInvite =
  ({ uses, days, note }: InviteOptions): HubCommand =>
  async (hub) => {
    const invite = await hub.invites.create.mutate({ uses, days, note });
    return {
      json: invite,
      text: `${invite.url}\nInvite ${invite.id} is valid until ${invite.expires_at} UTC. The link is shown only now.`,
    };
  };

/** Lists the invites that have not expired. */
export const listInvites: HubCommand = async (hub) => {
  const answer = await hub.invites.list.query();
  const rows = answer.data.map(({ id, used, uses, expires_at, note }) => [
    id,
    used,
    uses,
    expires_at,
    note,
  ]);
  const lines = alignedRows(["id", "used", "of", "until", "note"], rows);
  return { json: answer, text: rows.length > 0 ? lines.join("\n") : "No invites." };
};

/** Withdraws an invite. */
export const withdrawInvite = (id: number): HubCommand =>
  saying((hub) => hub.invites.withdraw.mutate({ id }));
