import type { AccessMatrix } from "../../testing/access/access-matrix.ts";
import type { AccessMatrixWorld } from "../../testing/access/access-matrix-world.ts";
import { NO_ID } from "../../testing/access/requests.ts";
import { createActor } from "../../testing/actor.ts";
import { ADMIN_TOKEN } from "../../testing/test-hub.ts";

const wanted = { uses: 1, days: 1 };

const newInvite = async ({ url }: AccessMatrixWorld) => {
  const operator = createActor({ name: "operator", apiKey: ADMIN_TOKEN, baseUrl: () => url });
  const { body } = await operator.post("/api/admin/invites", wanted);
  return { id: body.id };
};

/** Expected access to invites to register (0058). */
export const inviteStatuses: AccessMatrix = {
  "POST /admin/invites": [
    ["an invite", wanted, "200"],
    ["no uses", { days: 1 }, "400 invalid_input"],
  ],
  "DELETE /admin/invites/{id}": [
    ["an invite", newInvite, "200"],
    ["an unknown one", { id: NO_ID }, "404 invite_not_found"],
    ["no id", { id: 0 }, "400 invalid_input"],
  ],
};
