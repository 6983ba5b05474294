import { beforeAll, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { describeGatedSoul } from "../../testing/describe-gated-soul.ts";
import { GATED_SECRET } from "../../testing/gated-hub.ts";
import { caseOf, operatorOf, readCase, staffOf } from "../staff.fixture.ts";

/** The texts that staff read in a case of a soul without a report (0062). */
describeGatedSoul("a case without a report", (hub, soul) => {
  let staff: Actor;

  beforeAll(async () => {
    staff = await staffOf(hub, "mia");
  });

  const newestCase = async (state: string) => {
    const { data } = (await staff.get(`/api/mod/cases?state=${state}&limit=100`)).body;
    return readCase(staff, state === "closed" ? data[0].id : data.at(-1).id);
  };
  const target = () => ({ kind: "soul", soul_id: soul.id });

  it("holds no text behind a gate, whoever opens it", async () => {
    const seen = { title: "Keeper", version: 1 };
    await soul.holder.post("/api/reports", { ...target(), reason: "spam" });
    expect((await newestCase("open")).excerpt.content).toContain(GATED_SECRET);

    soul.room = await hub.openGated();
    soul.id = soul.room.soul_id;
    await hub.hub.database.db
      .updateTable("accounts")
      .set({ role: "moderator" })
      .where("username", "=", soul.holder.name)
      .execute();
    const opened = await readCase(staff, await caseOf(soul.holder, target()));
    expect(opened.excerpt).toMatchObject(seen);
    expect(opened.excerpt).not.toHaveProperty("content");

    await operatorOf(hub).post("/api/admin/hide", { soul_id: soul.id });
    const hidden = await newestCase("closed");
    expect([hidden.target.title, hidden.earlier_excerpts]).toEqual(["Keeper", []]);
    expect(hidden.excerpt).toMatchObject(seen);
    expect(hidden.excerpt).not.toHaveProperty("content");
  });

  it("holds nothing of a private soul", async () => {
    const own = { kind: "soul", soul_id: soul.id };
    await soul.owner.put(`/api/soul/${soul.id}`, { is_public: 0 });
    await operatorOf(hub).post("/api/admin/hide", { soul_id: soul.id });
    const { excerpt, target: shown } = await newestCase("closed");
    expect([excerpt, shown]).toMatchObject([null, { soul_id: soul.id, title: null }]);
    // The author may read it, and so may the staff once the author reports it.
    await soul.owner.post("/api/reports", { ...own, reason: "other" });
    expect((await newestCase("open")).excerpt.content).toContain(GATED_SECRET);
  });
});
