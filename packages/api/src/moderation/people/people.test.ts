import { expect, it } from "vitest";
import { failureOf } from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { actOn, staffOf } from "../staff.fixture.ts";

/** The search of staff for people (0062). */
describeChat("people of the hub", {}, (hub) => {
  it("are the staff and restricted people, or the person of a username", async () => {
    const mia = await staffOf(hub, "mia");
    await staffOf(hub, "noa", "admin");
    const ben = await hub.member("ben");
    await hub.member("zoe");
    const target = { kind: "person", username: "ben" };
    await actOn(mia, target, "silence", { days: 3 });
    const list = async (search = "") => (await mia.get(`/api/mod/people${search}`)).body.data;
    expect(await list()).toMatchObject([
      {
        username: "ben",
        role: "member",
        moderation: { state: "silenced", reason: "private_data" },
      },
      { username: "mia", role: "moderator", moderation: null },
      { username: "noa", role: "admin", moderation: null },
    ]);
    expect(await list("?username=ZOE")).toMatchObject([{ username: "zoe", moderation: null }]);
    expect(await list("?username=no-such-name")).toEqual([]);
    // A restriction that has ended is none.
    await hub.moveClock("4 days");
    expect((await list()).map(({ username }: { username: string }) => username)).toEqual([
      "mia",
      "noa",
    ]);
    expect(failureOf(await ben.get("/api/mod/people"))).toEqual([404, "not_found"]);
  });
});
