import type { HubCommand } from "../report.ts";

/** Makes a link with which the owner of an account sets a new password. */
export const makeResetLink =
  (username: string, { hours }: { hours: number }): HubCommand =>
  async (hub) => {
    const link = await hub.accounts.makeResetLink.mutate({ username, hours });
    return {
      json: link,
      text: `${link.url}\nThe link works once, until ${link.expires_at} UTC. It is shown only now.`,
    };
  };
