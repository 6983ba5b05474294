import type { BrowserContextOptions } from "playwright-core";
import { beforeAll } from "vitest";
import type { BrowserHub, ModelOptions, Visitor } from "../browser-hub.ts";
import { describeBrowser, type KnownVisitor } from "../describe-browser.ts";
import { isLive, visit } from "../steps.ts";

type SeenRequest = BrowserHub["model"]["requests"][number];

/** The title of the soul whose prompt a request contains. */
export const soulOf = ({ system }: Pick<SeenRequest, "system">): string =>
  /^Title: (.*)$/m.exec(system)?.[1] ?? "";

/**
 * A hub with the souls Orla and Ben of grace, and three people: ada, who owns each room, grace, and a
 * guest.
 */
export interface SharedHub {
  hub: BrowserHub;
  ada: KnownVisitor;
  grace: KnownVisitor;
  guest: Visitor;
  orla: number;
  ben: number;
  /** Titles of souls whose model fails. */
  failing: Set<string>;
  /** Opens a room of Orla, which ada has begun with "Hello.". Ben is in it, too, where it is wanted. */
  open(name: string, souls: "orla" | "both", ...visitors: Visitor[]): Promise<Room>;
}

export interface Room {
  soul_id: number;
  session_token: string;
}

/**
 * Declares a suite with a {@link SharedHub} of its own.
 * @param look the options of each visitor's browser context
 * @param suite receives the hub; its members are available in hooks and tests only
 */
export function describeSharedRoom(
  name: string,
  look: BrowserContextOptions,
  suite: (shared: SharedHub) => void,
): void {
  const failing = new Set<string>();
  const model: ModelOptions = {
    reply: (request) => `${soulOf(request)} answers this.`,
    fault: (request) => (failing.has(soulOf(request)) ? { status: 400 } : undefined),
  };
  const visitors = {
    ada: { as: "vip", look },
    grace: { as: "vip", look },
    guest: { as: "guest", look },
  } as const;
  describeBrowser(name, { visitors, model }, (hub, { ada, grace, guest }) => {
    const shared: SharedHub = {
      hub,
      ada,
      grace,
      guest,
      orla: 0,
      ben: 0,
      failing,
      async open(name, souls, ...visitors) {
        const { orla, ben } = shared;
        const room = { soul_id: orla, session_token: name };
        await hub.post("/api/chat", { ...room, content: "Hello." }, ada.key);
        if (souls === "both") {
          const both = [{ soul_id: orla }, { soul_id: ben }];
          await hub.put("/api/room", { ...room, souls: both }, ada.key);
        }
        for (const { page } of visitors) {
          await visit(page, `/chat/${orla}/${name}`);
          await isLive(page);
        }
        return room;
      },
    };
    const publish = async (title: string) => {
      const soul = { title, content: `I am ${title}.` };
      return Number((await hub.post("/api/souls", soul, grace.key)).id);
    };
    beforeAll(async () => {
      shared.orla = await publish("Orla");
      shared.ben = await publish("Ben");
    });
    suite(shared);
  });
}
