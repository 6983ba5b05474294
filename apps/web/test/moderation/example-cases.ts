import { ADMIN_TOKEN } from "@soul-hub/api/testing";
import type { BrowserHub } from "../browser-hub.ts";
import type { ExamplePages } from "../example-content.ts";
import { PASSWORD } from "../sign-in.ts";
import { passHolder } from "../steps.ts";
import { decide, promote } from "./staff-steps.ts";

/** The paths that {@link fillWithCases} adds. */
export interface ExampleCases {
  /** A soul of ada's that the staff have hidden. */
  hiddenSoul: string;
  openCase: string;
  appealedCase: string;
}

/** Makes ada an admin, and creates reports, decisions about her, appeals, and restricted people. */
export async function fillWithCases(
  hub: BrowserHub,
  { room, singleSoul }: ExamplePages,
): Promise<ExampleCases> {
  const mia = await passHolder(hub, "mia", "pro");
  await promote(hub, "mia", "admin");
  const linus = await passHolder(hub, "linus", "vip");
  const login = await hub.post("/api/login", { username: "ada", password: PASSWORD });
  const ada = String(login.api_key);
  const lamp = {
    title: "Lamp Post",
    content: "You stand at 4 Harbour Street, where Mr Finn lives.",
  };
  const soul_id = Number((await hub.post("/api/souls", lamp, ada)).id);
  const hidden = { kind: "soul", soul_id };
  await hub.post("/api/reports", { ...hidden, reason: "private_data", note: "My home." }, linus);
  await decide(hub, mia, hidden, {
    action: "hide_soul",
    message_to_author: "Your soul says where somebody lives. Please take the address out.",
  });
  const { data } = await read(hub, "/api/notices", ada);
  const appeal = {
    text: "Mr Finn is my grandfather, and asked me to.",
    decision_id: data[0]?.decision_id,
  };
  await hub.post("/api/appeals", appeal, ada);
  const detective = { kind: "soul", soul_id: Number(singleSoul.split("/").at(-1)) };
  const note = "It gives the address of my workshop, in the second paragraph.";
  await hub.post("/api/reports", { ...detective, reason: "private_data", note }, linus);
  await hub.post("/api/reports", { ...detective, reason: "spam" }, ada);
  await decide(
    hub,
    mia,
    { kind: "person", username: "ada" },
    {
      action: "warn",
      reason: "abuse",
      message_to_author: "You called somebody a fool. Please don't.",
    },
  );
  const [, , soul, session_token] = room.split("/");
  const place = { kind: "room", soul_id: Number(soul), session_token };
  await hub.post("/api/reports", { ...place, reason: "spam", note: "Adverts." }, linus);
  const grace = { kind: "person", username: "grace" };
  await hub.post("/api/reports", { ...grace, reason: "impersonation" }, linus);
  await decide(hub, mia, { kind: "person", username: "linus" }, { action: "silence", days: 3 });
  await hub.put("/api/admin/role", { username: "ada", role: "admin" }, ADMIN_TOKEN);
  const cases = await read(hub, "/api/mod/cases", mia);
  const appeals = await read(hub, "/api/mod/cases?state=appealed", mia);
  return {
    hiddenSoul: `/soul/${soul_id}`,
    openCase: `/admin?case=${cases.data[0]?.id}`,
    appealedCase: `/admin?state=appealed&case=${appeals.data[0]?.id}`,
  };
}

async function read(hub: BrowserHub, address: string, key: string) {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(hub.url + address, { headers });
  return (await response.json()) as { data: { id: number; decision_id: number }[] };
}
