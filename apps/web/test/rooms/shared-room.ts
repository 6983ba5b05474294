import { type BrowserHub, startBrowserHub, type Visitor } from "../browser-hub.ts";
import { signIn } from "../sign-in.ts";
import { isLive, passHolder, visit } from "../steps.ts";

type SeenRequest = BrowserHub["model"]["requests"][number];

/** The title of the soul whose prompt a request contains. */
export const soulOf = ({ system }: Pick<SeenRequest, "system">): string =>
  /^Title: (.*)$/m.exec(system)?.[1] ?? "";

/**
 * A hub with the souls Orla and Ben of grace, and three people: ada, who owns each room, grace, and a
 * guest.
 */
export interface SharedHub extends AsyncDisposable {
  hub: BrowserHub;
  ada: Visitor;
  grace: Visitor;
  guest: Visitor;
  orla: number;
  ben: number;
  keys: { ada: string; grace: string };
  /** Titles of souls whose model fails. */
  failing: Set<string>;
  /** Opens a room of Orla, which ada has begun with "Hello.". Ben is in it, too, where it is wanted. */
  open(name: string, souls: "orla" | "both", ...visitors: Visitor[]): Promise<Room>;
}

export interface Room {
  soul_id: number;
  session_token: string;
}

export async function startSharedHub(executablePath: string): Promise<SharedHub> {
  const failing = new Set<string>();
  const model: Parameters<typeof startBrowserHub>[1] = {
    reply: (request) => `${soulOf(request)} answers this.`,
    fault: (request) => (failing.has(soulOf(request)) ? { status: 400 } : undefined),
  };
  const hub = await startBrowserHub(executablePath, model);
  const keys = {
    grace: await passHolder(hub, "grace", "vip"),
    ada: await passHolder(hub, "ada", "vip"),
  };
  const publish = async (title: string) => {
    const { id } = await hub.post("/api/souls", { title, content: `I am ${title}.` }, keys.grace);
    return Number(id);
  };
  const orla = await publish("Orla");
  const ben = await publish("Ben");
  const [ada, grace, guest] = [await hub.visitor(), await hub.visitor(), await hub.visitor()];
  await signIn(ada.page, "ada");
  await signIn(grace.page, "grace");
  return {
    hub,
    ada,
    grace,
    guest,
    orla,
    ben,
    keys,
    failing,
    async open(name, souls, ...visitors) {
      const room = { soul_id: orla, session_token: name };
      await hub.post("/api/chat", { ...room, content: "Hello." }, keys.ada);
      if (souls === "both") {
        const both = [{ soul_id: orla }, { soul_id: ben }];
        await hub.put("/api/room", { ...room, souls: both }, keys.ada);
      }
      for (const { page } of visitors) {
        await visit(page, `/chat/${orla}/${name}`);
        await isLive(page);
      }
      return room;
    },
    [Symbol.asyncDispose]: () => hub[Symbol.asyncDispose](),
  };
}
