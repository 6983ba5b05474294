/** Thousands of clients in rooms of the hub, in one process. */
import { setTimeout as sleep } from "node:timers/promises";
import { answerCalls } from "../../processes/answer-calls.ts";
import { inLanes } from "../../runner/lanes.ts";
import { quantile } from "../../runner/quantile.ts";
import { Participant, type Place } from "./participant.ts";

/** The number of clients that join at the same time. */
const CONCURRENT_JOINS = 100;
/** The longest wait for the first word. */
const LATE_MS = 5_000;

let all: Participant[] = [];
const groupOf = (name: string) => all.filter(({ place }) => place.group === name);

async function rejoin(participant: Participant, withinMs: number): Promise<void> {
  await sleep(Math.random() * withinMs);
  await participant.join();
}

export const participants = {
  async join(places: Place[]) {
    const joining = places.map((place) => new Participant(place));
    all.push(...joining);
    await inLanes(CONCURRENT_JOINS, joining, (participant) => participant.join());
  },

  cut() {
    for (const participant of all) participant.cut();
  },

  /** Each client reconnects after a random delay of at most `withinMs`. */
  async return(withinMs: number) {
    await Promise.all(all.map((participant) => rejoin(participant, withinMs)));
  },

  leave() {
    participants.cut();
    all = [];
  },

  /**
   * Disconnects the clients of a group `times` times. Each reconnects after a random delay of at
   * most `awayMs`.
   * @returns the number of reconnects that took longer than the grace period
   */
  async flicker(group: string, times: number, awayMs: number, graceMs: number) {
    let late = 0;
    const flickering = groupOf(group).map(async (participant) => {
      for (let n = 0; n < times; n++) {
        const cutAt = performance.now();
        participant.cut();
        await rejoin(participant, awayMs);
        if (performance.now() - cutAt > graceMs) late++;
      }
    });
    await Promise.all(flickering);
    return late;
  },

  /**
   * Measures the latency of the words that arrive within `seconds`, from their creation by the
   * provider to their arrival.
   * @throws Error if a group receives no word
   */
  async measure(groups: string[], seconds: number) {
    const measured = groups.map((group) => ({ group, taken: [] as number[] }));
    for (const { group, taken } of measured) {
      for (const each of groupOf(group)) each.onLatency = (ms) => void taken.push(ms);
    }
    await sleep(seconds * 1_000);
    const isMissing = () => measured.some(({ taken }) => taken.length === 0);
    // On a busy machine a reply may begin late.
    for (const end = Date.now() + LATE_MS; isMissing() && Date.now() < end; ) await sleep(50);
    for (const participant of all) participant.onLatency = undefined;
    return measured.map(({ group, taken }) => {
      if (taken.length === 0) throw new Error(`${group}: no word arrived`);
      return { count: taken.length, p50: quantile(taken, 0.5), p99: quantile(taken, 0.99) };
    });
  },

  /** The messages, gaps and received leave events of each client in a group. */
  states: (group: string) =>
    groupOf(group).map(({ ids, faults, left }) => ({ messages: ids.length, faults, left })),
};
answerCalls(participants);
