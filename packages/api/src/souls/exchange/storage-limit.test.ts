import { expect, it } from "vitest";
import { describeHub } from "../../testing/describe-chat.ts";
import { cardText, importFile } from "./exchange.fixture.ts";

describeHub("the storage of an account", { config: { storageBytesPerAccount: 2_000 } }, (hub) => {
  const card = (sign: string) => cardText({ scenario: sign.repeat(1_000) });

  it("is limited; the same bytes count once, and a deletion frees them", async () => {
    const ada = await hub.member("ada");
    const first = await importFile(ada, card("a"));
    expect(first.status).toBe(200);
    expect((await importFile(ada, card("a"))).status).toBe(200);
    const refused = await importFile(ada, card("b"));
    expect([refused.status, refused.body.error]).toEqual([403, "account_storage_full"]);
    expect((await ada.get("/api/my-souls")).body.total).toBe(2);
    for (const { id } of (await ada.get("/api/my-souls")).body.data)
      await ada.delete(`/api/soul/${id}`);
    expect((await importFile(ada, card("b"))).status).toBe(200);
  });

  it("cannot be exceeded by imports at once", async () => {
    const bob = await hub.member("bob");
    const sent = await Promise.all(["c", "d", "e"].map((sign) => importFile(bob, card(sign))));
    expect(sent.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});
