import { defineEntity, p } from "@mikro-orm/core";

/** A word that a soul has or had; the database notes them (db/migrations/0019). */
export const SoulWord = defineEntity({
  name: "SoulWord",
  tableName: "soul_words",
  properties: {
    id: p.bigint("number").primary(),
    word: p.text(),
  },
});
