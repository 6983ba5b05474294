/** People in rooms, thousands of them in one process. Takes orders from the bench, one at a time. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Heard, PeopleOrder, PeopleResult, PersonTold, Place } from "./people-orders.ts";
import { Person } from "./person.ts";

let people: Person[] = [];

async function join(places: Place[], atATime: number): Promise<void> {
  const joining = places.map((place) => new Person(place));
  people.push(...joining);
  const waiting = [...joining];
  const lane = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) await next.join();
  };
  await Promise.all(Array.from({ length: atATime }, lane));
}

const comeBack = (who: Person[], withinMs: number) =>
  Promise.all(
    who.map(async (person) => {
      await sleep(Math.random() * withinMs);
      await person.join();
    }),
  );

type Flicker = Extract<PeopleOrder, { do: "flicker" }>;

async function flicker({ group, times, awayMs, graceMs }: Flicker): Promise<number> {
  let late = 0;
  const who = people.filter(({ place }) => place.group === group);
  await Promise.all(
    who.map(async (person) => {
      for (let n = 0; n < times; n++) {
        const cutAt = performance.now();
        person.cut();
        await sleep(Math.random() * awayMs);
        await person.join();
        if (performance.now() - cutAt > graceMs) late++;
      }
    }),
  );
  return late;
}

async function listen(seconds: number): Promise<PeopleResult["heard"]> {
  const ages = new Map<string, number[]>();
  for (const person of people) {
    const { group } = person.place;
    const own = ages.get(group) ?? [];
    ages.set(group, own);
    person.onAge = (ms) => void own.push(ms);
  }
  await sleep(seconds * 1_000);
  for (const person of people) person.onAge = undefined;
  return Object.fromEntries([...ages].map(([group, taken]) => [group, spread(taken)]));
}

function spread(values: number[]): Heard {
  const sorted = Float64Array.from(values).sort();
  const quantile = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
  return {
    count: sorted.length,
    p50Ms: quantile(0.5),
    p95Ms: quantile(0.95),
    p99Ms: quantile(0.99),
  };
}

function tell(): PeopleResult["told"] {
  const told: PeopleResult["told"] = {};
  for (const { place, ids, faults, syncs, online, left } of people) {
    const one: PersonTold = {
      messages: ids.length,
      faults,
      last: ids.at(-1) ?? 0,
      syncs,
      online,
      left: [...left],
    };
    told[place.group] = [...(told[place.group] ?? []), one];
  }
  return told;
}

async function obey(order: PeopleOrder): Promise<Partial<PeopleResult>> {
  if (order.do === "join") await join(order.places, order.atATime ?? order.places.length);
  else if (order.do === "return") await comeBack(people, order.withinMs);
  else if (order.do === "flicker") return { late: await flicker(order) };
  else if (order.do === "listen") return { heard: await listen(order.seconds) };
  else if (order.do === "tell") return { told: tell() };
  else for (const person of people) person.cut();
  if (order.do === "leave") people = [];
  return {};
}

process.on("message", async (order: PeopleOrder) => {
  const start = performance.now();
  const before = process.cpuUsage();
  const found = await obey(order);
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(before);
  const result: PeopleResult = {
    heard: {},
    late: 0,
    told: {},
    ...found,
    seconds: ms / 1_000,
    cpu: (user + system) / 1_000 / ms,
  };
  process.send?.(result);
});
// Ends with the bench, however that ends.
process.on("disconnect", () => process.exit());
