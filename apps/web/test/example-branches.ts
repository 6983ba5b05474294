import type { BrowserHub } from "./browser-hub.ts";

const question = "The release is on Friday, and the translations are late. Do we wait?";
const answer =
  "No. A ship with one crate missing sails; a ship that misses the tide doesn't.\n\n- **Ship** without the two late languages.\n- Send them with the next release, *on Tuesday*.";

/** The talk of the branched room and the model's replies. */
export const branchedTalk: ReadonlyArray<readonly [said: string, reply: string]> = [
  [question, answer],
  ["Who has to know?", "The translators, support, and whoever promised Friday to a customer."],
  ["That was me, sorry.", "Then you write the first mail."],
  ["And who tells support?", "You do, before they read it in a ticket."],
];

/**
 * Creates a room with branches, reactions, an edited and a removed message, and replies of two
 * versions of its soul.
 * @param soul_id a soul of ada's with one version
 * @param keys API keys of ada, who owns the room, and of grace
 * @returns the path of the room's page
 */
export async function fillBranchedRoom(
  hub: BrowserHub,
  soul_id: number,
  keys: { ada: string; grace: string },
): Promise<string> {
  const room = { soul_id, session_token: "ship-on-friday" };
  const [first, second, third, fourth] = branchedTalk.map(([said]) => said);
  const ask = (fields: object, by: keyof typeof keys) =>
    hub.post("/api/chat", { ...room, ...fields }, keys[by]);
  const edit = (id: unknown, content: string, by: keyof typeof keys) =>
    hub.put("/api/message", { ...room, id, content }, keys[by]);
  const react = (id: unknown, emoji: string, by: keyof typeof keys) =>
    hub.put("/api/reaction", { ...room, id, emoji, on: true }, keys[by]);

  const { question_id } = await ask({ content: first }, "ada");
  const { message_id } = await ask({ regenerate: question_id, content: "" }, "ada");
  await react(message_id, "👍", "ada");
  await react(message_id, "👍", "grace");
  await react(message_id, "⛵", "grace");
  const known = await ask({ content: second }, "grace");
  await edit(known.question_id, "Who has to know of it?", "grace");
  await hub.put(`/api/soul/${soul_id}`, { content: "# Harbour Pilot\n\nBrief." }, keys.ada);
  const sorry = await ask({ content: third }, "grace");
  const removed = `soul_id=${soul_id}&session_token=${room.session_token}&id=${sorry.question_id}`;
  await hub.delete(`/api/message?${removed}`, keys.grace);
  await edit(sorry.message_id, "Then you write the first mail, today.", "ada");
  await ask({ content: fourth }, "ada");
  return `/chat/${room.soul_id}/${room.session_token}`;
}
