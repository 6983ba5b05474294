import type { HubCommand } from "../report.ts";

/** Sets the role of an account. */
export const setRole =
  (username: string, role: "member" | "moderator" | "admin"): HubCommand =>
  async (hub) => {
    const answer = await hub.roles.set.mutate({ username, role });
    return { json: answer, text: answer.message };
  };
