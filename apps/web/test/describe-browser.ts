import type { BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import {
  type BrowserHub,
  type HubOptions,
  type ModelOptions,
  startBrowserHub,
  type Visitor,
} from "./browser-hub.ts";
import { PASSWORD, signIn } from "./sign-in.ts";
import { givePass } from "./steps.ts";

interface VisitorOptions {
  /** A guest, or a member, whose username is the visitor's name in the list. */
  as: "guest" | "member" | "vip" | "pro";
  /** The options of the visitor's browser context. */
  look?: BrowserContextOptions;
}

export interface KnownVisitor extends Visitor {
  /** The API key of a member; empty for a guest. */
  key: string;
}

interface BrowserSuiteOptions<Name extends string> {
  model?: ModelOptions;
  /** Options of the hub. */
  hub?: HubOptions;
  visitors: Record<Name, VisitorOptions>;
}

/**
 * Declares a suite with a browser hub of its own and a page for each visitor. Members are signed in.
 * The last test asserts that no visitor's page has logged an error or called another site.
 * @param suite receives hub and visitors; their members are available in hooks and tests only
 */
export function describeBrowser<Name extends string>(
  name: string,
  options: BrowserSuiteOptions<Name>,
  suite: (hub: BrowserHub, visitors: Record<Name, KnownVisitor>) => void,
): void {
  const { chromium } = inject("services");
  const entries = Object.entries(options.visitors) as [Name, VisitorOptions][];
  describe.skipIf(!chromium)(name, () => {
    const hub = {} as BrowserHub;
    const visitors = Object.fromEntries(entries.map(([name]) => [name, {}])) as Record<
      Name,
      KnownVisitor
    >;
    beforeAll(async () => {
      Object.assign(hub, await startBrowserHub(chromium ?? "", options.model, options.hub));
      for (const [name, visitor] of entries) {
        Object.assign(visitors[name], await openPage(hub, name, visitor));
      }
    });
    afterAll(() => hub[Symbol.asyncDispose]?.());
    suite(hub, visitors);

    it("logs no errors and makes no foreign requests", () => {
      for (const { complaints, strayRequests } of Object.values<KnownVisitor>(visitors)) {
        expect([complaints, strayRequests]).toEqual([[], []]);
      }
    });
  });
}

async function openPage(
  hub: BrowserHub,
  username: string,
  options: VisitorOptions,
): Promise<KnownVisitor> {
  const visitor = await hub.visitor(options.look);
  if (options.as === "guest") return { ...visitor, key: "" };
  const account = { username, password: PASSWORD, email: `${username}@example.org` };
  const { api_key } = await hub.post("/api/register", account);
  if (options.as !== "member") await givePass(hub, username, options.as);
  await signIn(visitor.page, username);
  return { ...visitor, key: String(api_key) };
}
