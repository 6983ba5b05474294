import type { AccessMatrix } from "../../testing/access/access-matrix.ts";
import type { AccessMatrixWorld } from "../../testing/access/access-matrix-world.ts";
import { createActor } from "../../testing/actor.ts";
import { ADMIN_TOKEN } from "../../testing/test-hub.ts";

const NONE = 2 ** 53 - 1;
const wanted = { uses: 1, days: 1 };

const newInvite = async ({ url }: AccessMatrixWorld) => {
  const operator = createActor({ name: "operator", apiKey: ADMIN_TOKEN, baseUrl: () => url });
  const { body } = await operator.post("/api/admin/invites", wanted);
  return { id: body.id };
};

/** Expected access to invites to register (0058). */
export const inviteStatuses: AccessMatrix = {
  "POST /admin/invites": [
    ["an invite", wanted, { authorized: "200" }],
    ["no uses", { days: 1 }, { authorized: "400 invalid_input" }],
  ],
  "GET /admin/invites": [["at any time", {}, { authorized: "200" }]],
  "DELETE /admin/invites/{id}": [
    ["an invite", newInvite, { authorized: "200" }],
    ["an unknown one", { id: NONE }, { authorized: "404 invite_not_found" }],
    ["no id", { id: 0 }, { authorized: "400 invalid_input" }],
  ],
};
