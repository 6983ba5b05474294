import { ADMIN_TOKEN, bindBody, createWallet, signAs } from "@soul-hub/api/testing";
import type { BrowserHub } from "./browser-hub.ts";
import { branchedTalk, fillBranchedRoom } from "./example-branches.ts";
import { PASSWORD } from "./sign-in.ts";

/** The paths of the pages that {@link fillWithExamples} creates. */
export interface ExamplePages {
  folderSoul: string;
  singleSoul: string;
  /** A private soul of ada's. */
  privateSoul: string;
  room: string;
  /** A room with all that can happen to a message. */
  branchedRoom: string;
  /** A private room of ada's, with an open invite. */
  privateRoom: string;
  invite: string;
  /** The public page of the room's conversation. */
  shared: string;
}

const nightSky = {
  title: "The Night Sky Guide",
  description:
    "Tells you what stands above your roof tonight, from a balcony in the city or a dark field.",
  role: "education",
  domain: "astronomy",
  compatibility: "any",
};

const nightSkyFiles = {
  "SOUL.md": `# Vesper

You know the sky the way a postman knows his street. Somebody stands outside, looks up and asks; you answer with what **they** can see from there.

## What you do

1. Ask where they are, and what time it is. Never guess either.
2. Start from the brightest thing in sight, then lead from there: *two fists to the left*.
3. Name one star, one planet and one thing that most people never notice.

> A telescope is not needed. Patience is.

| They say | You offer |
|---|---|
| “I only see three stars” | the Summer Triangle |
| “Something very bright, low” | Venus, and when it sets |
| “It moves” | the next pass of the space station |
`,
  "STYLE.md":
    "# Style\n\nQuiet sentences. Angles in fists and fingers at arm's length, never in degrees first.\n",
  "RULES.md":
    "# Rules\n\n- Never send anybody to look near the sun.\n- Say so when clouds make it hopeless.\n",
};

const typeDetective = {
  title: "The Type Detective",
  description: "Reads a TypeScript error from the last line up, and finds the line that lied.",
  role: "software-engineering",
  domain: "typescript",
  compatibility: "any",
  content: `# The Type Detective

You read compiler errors the way others read letters: from the end, and between the lines.

- Ask for the smallest piece of code that still fails.
- Explain *why* the compiler is right before you show how to make it quiet.
- Never offer \`any\`. An alibi is not a solution.

\`\`\`ts
// The scene of the crime is rarely where the alarm rings.
const found = suspects.find(({ name }) => name === "undefined");
\`\`\`
`,
};

const harbourPilot = {
  title: "Harbour Pilot",
  description: "Brings a project into port: what is still open, what can wait, who has to know.",
  role: "productivity",
  domain: "project work",
  compatibility: "any",
  content: "# Harbour Pilot\n\nYou come aboard late and know every rock.\n",
};

/** The messages of the example room and the model's replies. */
const conversation: ReadonlyArray<readonly [by: "ada" | "grace", said: string, reply: string]> = [
  [
    "ada",
    "Why does TypeScript say “Object is possibly undefined” here? I know that the user exists.\n\nconst user = users.find((u) => u.id === id);\nreturn user.name;",
    `You know it. The compiler only knows what \`find\` promises, and it promises \`User | undefined\`: nothing in the types says that the id is in the list.

So tell it what should happen in the case that you rule out:

\`\`\`ts
const user = users.find((u) => u.id === id);
if (!user) throw new Error(\`No user has the id \${id}.\`);
return user.name; // User: the undefined is gone
\`\`\`

If it truly can't happen, this costs one line. If it can, you will read **that** sentence in your log instead of *“Cannot read properties of undefined”*.`,
  ],
  [
    "grace",
    "And if I look the same users up all the time?",
    `Then the array is the wrong witness. Ask a \`Map\`, once it is built:

\`\`\`ts
const byId = new Map(users.map((user) => [user.id, user]));
\`\`\`

| each | \`find\` | \`Map.get\` |
|---|---|---|
| looks at | every user | one |
| returns | \`User \\| undefined\` | \`User \\| undefined\` |

The question stays the same in both, and that is good: *is it there?*`,
  ],
];

/**
 * Options of the simulated model provider. It answers each example message with the reply of the
 * example room.
 */
export const exampleReplies = {
  reply: ({ messages }: { messages: ReadonlyArray<{ content: string }> }) => {
    const asked = messages.at(-1)?.content ?? "";
    const known = [...conversation.map(([, ...exchange]) => exchange), ...branchedTalk];
    return known.find(([said]) => asked.includes(said))?.[1] ?? "Show me the line.";
  },
};

/** Creates two members with passes, a room, and souls with likes, ratings, versions and a fork. */
export async function fillWithExamples(hub: BrowserHub): Promise<ExamplePages> {
  const keys = { ada: await join(hub, "ada"), grace: await join(hub, "grace") };
  const publish = async (by: keyof typeof keys, soul: object): Promise<number> => {
    const { id } = await hub.post("/api/souls", soul, keys[by]);
    return Number(id);
  };

  const pilot = await publish("ada", harbourPilot);
  const notes = await publish("ada", { ...harbourPilot, title: "Notes to self", is_public: 0 });
  const folder = await publish("ada", { ...nightSky, content: JSON.stringify(nightSkyFiles) });
  const detective = await publish("grace", typeDetective);

  const secondFiles = {
    ...nightSkyFiles,
    "STYLE.md": nightSkyFiles["STYLE.md"].replace(
      "never in degrees first.",
      "in degrees only when asked.",
    ),
  };
  await hub.put(
    `/api/soul/${folder}`,
    { content: JSON.stringify(secondFiles), note: "Degrees, but only when asked." },
    keys.ada,
  );
  const thirdFiles = {
    ...secondFiles,
    "RULES.md": nightSkyFiles["RULES.md"]
      .replace("anybody to look near the sun", "anybody to look at or near the sun")
      .concat("- A satellite is no star, however pretty.\n"),
  };
  await hub.put(
    `/api/soul/${folder}`,
    { content: JSON.stringify(thirdFiles), note: "Satellites are no stars. Safer near the sun." },
    keys.ada,
  );
  await sign(hub, { soul_id: folder, number: 3 }, keys.ada);
  await hub.put(
    `/api/soul/${detective}`,
    { content: typeDetective.content.replace("An alibi", "An unexplained alibi") },
    keys.grace,
  );
  await hub.post("/api/fork", { soul_id: folder }, keys.grace);
  for (const [soul_id, rating] of [
    [folder, 5],
    [pilot, 4],
    [detective, 5],
  ]) {
    for (const key of [keys.ada, keys.grace]) {
      await hub.post("/api/like", { soul_id }, key);
      await hub.post("/api/rate", { soul_id, rating }, key);
    }
  }

  const room = { soul_id: detective, session_token: "case-of-the-missing-user" };
  for (const [by, content] of conversation) {
    await hub.post("/api/chat", { ...room, content }, keys[by]);
  }
  const shared = await hub.post("/api/shares", { ...room, names: true }, keys.ada);
  const quiet = { soul_id: pilot, session_token: "a-quiet-corner" };
  const opening = { ...quiet, content: "What is still open?", is_private: true };
  await hub.post("/api/chat", opening, keys.ada);
  const invite = await hub.post("/api/room-invites", { ...quiet, uses: 5, days: 7 }, keys.ada);
  return {
    privateRoom: `/chat/${quiet.soul_id}/${quiet.session_token}`,
    invite: new URL(String(invite.url)).pathname,
    shared: new URL(String(shared.url)).pathname,
    folderSoul: `/soul/${folder}`,
    singleSoul: `/soul/${detective}`,
    privateSoul: `/soul/${notes}`,
    room: `/chat/${room.soul_id}/${room.session_token}`,
    branchedRoom: await fillBranchedRoom(hub, pilot, keys),
  };
}

async function join(hub: BrowserHub, username: string): Promise<string> {
  const account = { username, password: PASSWORD, email: `${username}@example.org` };
  const { api_key } = await hub.post("/api/register", account);
  await hub.post("/api/admin/pass", { username, tier: "vip", days: 30 }, ADMIN_TOKEN);
  return String(api_key);
}

/** Binds a wallet to an account, and signs the present version of a soul with it. */
async function sign(hub: BrowserHub, version: { soul_id: number; number: number }, key: string) {
  const wallet = createWallet("ada.near");
  await hub.post("/api/bind-wallet", bindBody(wallet), key);
  const { soul_id, number } = version;
  const { data } = await (await fetch(`${hub.url}/api/soul/${soul_id}`)).json();
  const { host } = new URL(hub.url);
  const text = `soulhub-version/1\nhub: ${host}\nsoul: ${soul_id} version ${number}\ndigest: ${data.digest}`;
  const { message: _, ...signature } = signAs("the text", wallet, text, host);
  await hub.post("/api/version-signature", { ...version, ...signature }, key);
}
