import type { AccessMatrix } from "../../testing/access/access-matrix.ts";
import type { AccessMatrixWorld } from "../../testing/access/access-matrix-world.ts";
import {
  inBegunRoom,
  inNewRoom,
  ofGatedSoul,
  ofPrivateSoul,
  ofRoom,
} from "../../testing/access/requests.ts";
import { history, type RoomName, say } from "../../testing/chat-hub.ts";
import { refusals } from "../access-matrix.fixture.ts";

const MUTE_KAI = { username: "kai", state: "muted" };
const ONE_DAY = { uses: 20, days: 1 };

const others = { authorized: "403 not_owner", blocked: "403 blocked" } as const;
const ofOwner = { ...others, owner: "200" } as const;
const isInvalid = { ...others, owner: "400 invalid_input" } as const;

async function inviteTo({ people }: AccessMatrixWorld, room: RoomName): Promise<string> {
  const { body } = await people.owner.post("/api/room-invites", { ...room, ...ONE_DAY });
  if (!body.success) throw new Error(`The invite was not created: ${body.message}`);
  return body.invite;
}

/** An invite to a new private room of the actor `owner`. */
const newInvite = async (world: AccessMatrixWorld) => ({
  invite: await inviteTo(world, await world.begunRoom({ is_private: true })),
});

/** An invite to a private room whose soul was then changed. */
async function inviteToChangedSoul(world: AccessMatrixWorld, fields: object) {
  const { owner } = world.people;
  const room = world.newRoom(await world.publish());
  await say(owner, room, "Come in.", { is_private: true });
  const invite = await inviteTo(world, room);
  await owner.put(`/api/soul/${room.soul_id}`, fields);
  return { invite };
}

/** Expected access to moderation and invites (decisions §5, Moderation and Invites). */
export const peopleAccess: AccessMatrix = {
  "GET /room-people": [
    ["a public room", inBegunRoom(), ofOwner],
    ...refusals({}, "403 not_owner", "200"),
  ],
  "PUT /room-people": [
    ["a public room", inBegunRoom({ ...MUTE_KAI, minutes: 5 }), ofOwner],
    ...refusals(MUTE_KAI, "403 not_owner", "200"),
    [
      "an unknown user",
      inBegunRoom({ ...MUTE_KAI, username: "no-one" }),
      { ...others, owner: "404 user_not_found" },
    ],
    [
      "an unknown message",
      inBegunRoom({ message_id: 2 ** 53 - 1, state: "muted" }),
      { ...others, owner: "404 message_not_found" },
    ],
    [
      "a reply of a soul",
      async ({ begunRoom, people }) => {
        const room = await begunRoom();
        const { body } = await history(people.owner, room);
        return { ...room, message_id: body.messages[1].id, state: "muted" };
      },
      isInvalid,
    ],
    ["the owner", inBegunRoom({ username: "ONA", state: "none" }), isInvalid],
    [
      "a person of another room",
      async ({ begunRoom, people }) => {
        const { soul_id, session_token } = await begunRoom();
        const query = `soul_id=${soul_id}&session_token=${session_token}`;
        const { body } = await people.owner.get(`/api/room-people?${query}`);
        return { ...(await begunRoom()), person: body.data[0].person, state: "muted" };
      },
      isInvalid,
    ],
    ["two names of a person", inBegunRoom({ ...MUTE_KAI, message_id: 1 }), "400 invalid_input"],
    [
      "a membership with an end",
      inBegunRoom({ username: "kai", state: "member", minutes: 5 }),
      "400 invalid_input",
    ],
  ],
  "GET /room-invites": [
    ["a public room", inBegunRoom(), ofOwner],
    ...refusals({}, "403 not_owner", "200"),
  ],
  "POST /room-invites": [
    ["a public room", inBegunRoom({ ...ONE_DAY }), isInvalid],
    ...refusals(ONE_DAY, "403 not_owner", "200"),
    [
      "a 21st invite",
      async (world) => {
        const room = await world.begunRoom({ is_private: true });
        for (let n = 0; n < 20; n++) await inviteTo(world, room);
        return { ...room, ...ONE_DAY };
      },
      { owner: "409 limit_reached" },
    ],
    ["51 uses", inNewRoom({ uses: 51, days: 1 }), "400 invalid_input"],
    ["31 days", inNewRoom({ uses: 1, days: 31 }), "400 invalid_input"],
  ],
  "DELETE /room-invites": [
    ["an invite", newInvite, { authorized: "403 not_owner", owner: "200" }],
    ["an unknown invite", { invite: "none" }, "404 invite_not_found"],
  ],
  "POST /claim-guest": [["at any time", {}, "200"]],
  "POST /room-join": [
    ["an invite", newInvite, ofRoom("200")],
    ["an unknown invite", { invite: "none" }, "404 invite_not_found"],
    [
      "a room from which its owner has banned the caller",
      async (world) => {
        const room = await world.begunRoom({ is_private: true });
        const ban = { ...room, username: world.people.vip.name, state: "banned" };
        await world.people.owner.put("/api/room-people", ban);
        return { invite: await inviteTo(world, room) };
      },
      { vip: "403 banned", pro: "200" },
    ],
    [
      "a room of a private soul",
      (world) => inviteToChangedSoul(world, { is_public: 0 }),
      ofPrivateSoul,
    ],
    [
      "a room of a gated soul",
      (world) => inviteToChangedSoul(world, { nft_contract: "nft.near" }),
      ofGatedSoul,
    ],
    [
      "a room of a gated soul, and a chain that can't be asked",
      async (world) => world.cutOff(await inviteToChangedSoul(world, { nft_contract: "nft.near" })),
      { vip: "503 chain_unavailable", owner: "200" },
    ],
  ],
};
