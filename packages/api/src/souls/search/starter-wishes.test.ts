import { afterAll, beforeAll, expect, it } from "vitest";
import { createTableModel } from "../../embedding/table-model.ts";
import { eventually } from "../../testing/eventually.ts";
import { startTestHub, type TestHub } from "../../testing/test-hub.ts";
import { publishStarterSouls } from "../publish-starter-souls.ts";

let hub: TestHub;

beforeAll(async () => {
  hub = await startTestHub({ embeddingModel: createTableModel() });
  await publishStarterSouls(hub.hub);
  await eventually(async () => {
    await hub.hub.searchUpkeep.run();
    expect(hub.hub.searchUpkeep.state).toMatchObject({ waiting: 0, state: "ready" });
  });
});
afterAll(() => hub.close());

it.each([
  ["homework help", "The Socratic Tutor"],
  ["I feel sad and lonely", "Quiet Company"],
  ["somebody to talk to", "Quiet Company"],
  ["proofread my text", "Sharp Pencil, Copy Editor"],
  ["proofraed my text", "Sharp Pencil, Copy Editor"],
  ["what should I eat tonight", "Fridge Chef"],
  ["plan my holiday", "Wayfinder, Travel Planner"],
  ["fix my javascript", "Rowan, Code Reviewer"],
  ["learn spanish", "Corner Table Language Partner"],
  ["prepare for finals", "Study Coach"],
  ["what does this contract mean", "Plain-Language Law Explainer"],
  ["I want to found a company", "Tough Startup Mentor"],
  ["dungeons and dragons", "The Lantern Keeper"],
  ["checkmate", "Chess Companion"],
  ["make a graph from excel", "Second Look, Data Analyst"],
])("%s finds a starter soul among the first three", async (wish, title) => {
  const { body } = await hub.guest().get(`/api/souls?${new URLSearchParams({ q: wish })}`);
  expect(body.data.slice(0, 3).map((soul: { title: string }) => soul.title)).toContain(title);
});
