import { alignedTable, type Column } from "../aligned-table.ts";
import type { HubCommand } from "../report.ts";

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

const columns: Column[] = [
  { title: "id", align: "right" },
  { title: "used", align: "right" },
  { title: "of", align: "right" },
  { title: "until" },
  { title: "note" },
];

/** Lists the invites that have not expired. */
export const listInvites: HubCommand = async (hub) => {
  const answer = await hub.invites.list.query();
  const rows = answer.data.map(({ id, used, uses, expires_at, note }) => [
    String(id),
    String(used),
    String(uses),
    expires_at,
    note,
  ]);
  return { json: answer, text: rows.length > 0 ? alignedTable(columns, rows) : "No invites." };
};

/** Withdraws an invite. */
export const withdrawInvite =
  (id: number): HubCommand =>
  async (hub) => {
    const answer = await hub.invites.withdraw.mutate({ id });
    return { json: answer, text: answer.message };
  };
