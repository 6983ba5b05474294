import { expect, it } from "vitest";
import { isPrepared, markPrepared } from "./prepared-statements.ts";

it.each([
  'insert into "likes" ("soul_id") values ($1)',
  'update "souls" set "title" = $1',
  'delete from "likes"',
  "\n  with seen as (select id from chat_rooms for key share)\n  insert into room_people select id",
  'with "taken" as (update "invites" set "used" = used + 1) insert into "accounts" select $1',
  "with over as (select 1) delete from mod_evidence",
  'select "id" from "souls" for update',
  'select "id" from "accounts" for no key update',
  "select from accounts where id = $1 for share\n",
  'select "id" from "chat_rooms" for key share',
  markPrepared("select * from set_like(of_soul => $1)"),
])("prepares %s", (statement) => {
  expect(isPrepared(statement)).toBe(true);
});

it.each([
  'select "id", "updated_at" from "souls"',
  'with "matching" as (select "id", "updated_at" from "souls") select "id" from "matching"',
  'select "id" from "souls" for update of "souls" limit 3',
  "begin",
])("does not prepare %s", (statement) => {
  expect(isPrepared(statement)).toBe(false);
});
