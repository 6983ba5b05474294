import { Migration } from "@mikro-orm/migrations";
import { describe, expect, it } from "vitest";
import { migrations } from "../migrate.ts";
import { ConcurrentIndex } from "./concurrent-index.ts";
import { objectionsTo } from "./objections.fixture.ts";

const migrationOf = (...statements: string[]) =>
  class extends Migration {
    override up(): void {
      for (const statement of statements) this.addSql(statement);
    }
  };

describe("migrations after the first one", () => {
  it.each(migrations.slice(1).map((each) => [each.name, each] as const))(
    "only add to the schema: %s",
    async (_, migration) => {
      expect(await objectionsTo(migration)).toEqual([]);
    },
  );

  it.each([
    "drop table likes",
    "alter table souls drop column role",
    "alter table souls rename column role to category",
    "alter table souls rename to agents",
    "alter table souls alter column role type int",
    "alter table souls alter column domain set not null",
    "alter table quota_holds add column room_id bigint",
    "alter table souls add column mood text not null",
    "alter table souls add column mood text unique",
    "alter table souls add column mood text, drop column role",
    "alter table souls add column mood text check (mood <> '')",
    "alter table souls add column words int generated always as (length(content)) stored",
    "alter table souls add constraint souls_title_check check (title <> '')",
    "create index souls_mood_index on souls (mood)",
    "create unique index souls_mood_index on souls (mood)",
    "create index concurrently souls_mood_index on souls (mood)",
    "update souls set role = 'Other'",
    "delete from likes",
    "truncate likes",
    "drop function toggle_like",
    "create trigger moods after insert on souls for each row execute function note_mood()",
    "create or replace function toggle_like() returns void language sql as 'select'",
  ])("may not contain: %s", async (statement) => {
    expect(await objectionsTo(migrationOf(statement))).toEqual([statement]);
  });

  it("may not refuse rows of earlier releases with a unique index", async () => {
    class TitleIndex extends ConcurrentIndex {
      override isUnique = true;
      index = "souls_title_unique";
      on = "souls (user_id, title)";
    }
    expect(await objectionsTo(TitleIndex)).toEqual([
      "create unique index concurrently souls_title_unique on souls (user_id, title)",
    ]);
  });

  it("may add a trigger whose function catches its faults, so that no write of earlier releases fails", async () => {
    const noting = (body: string) =>
      `create function note_mood() returns trigger language plpgsql as $$ begin ${body} end $$`;
    const trigger =
      "create trigger moods after insert on souls for each row execute function note_mood()";
    const careful = noting("insert into moods values (1); return null; exception when others then");
    expect(await objectionsTo(migrationOf(careful, trigger))).toEqual([]);
    const careless = noting("insert into moods values (1); return null;");
    expect(await objectionsTo(migrationOf(careless, trigger))).toEqual([trigger]);
  });

  it("may add tables with indexes and rows, and columns that earlier releases can ignore", async () => {
    class MoodIndex extends ConcurrentIndex {
      index = "souls_mood_index";
      on = "souls (mood)";
    }
    const additions = migrationOf(
      "create table moods (name text primary key)",
      "create unique index moods_lower_index on moods (lower(name))",
      "insert into moods (name) select distinct role from souls",
      "alter table souls add column mood text",
      "alter table souls add column score int not null default 0",
    );
    expect([await objectionsTo(additions), await objectionsTo(MoodIndex)]).toEqual([[], []]);
  });
});
