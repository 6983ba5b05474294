import type { AccessMatrix } from "../../testing/access/access-matrix.ts";

/** The outcome for callers without an account. */
const guests = (outcome: "200" | "409 username_taken") => ({
  authorized: "400 invalid_input" as const,
  nobody: outcome,
  guest: outcome,
});

/** Expected access to the names of guests (decisions §3, Guest). */
export const guestNameStatuses: AccessMatrix = {
  "PUT /guest-name": [
    ["a name", { name: "Robin" }, guests("200")],
    ["no longer a name", { name: null }, guests("200")],
    ["a username in another case", { name: "ONA" }, guests("409 username_taken")],
    ["a reserved username", { name: "Admin" }, guests("409 username_taken")],
    ["brackets", { name: "Robin (guest)" }, "400 invalid_input"],
  ],
};
