import { Migration } from "@mikro-orm/migrations";

/**
 * Question and reply, the room's new head and the settled units, under the room's lock. A function,
 * since five statements one after the other took most of a chat's time at the database
 * (docs/decisions/0015). Each of its statements sees what was committed before it, which those of
 * one `with` would not, once they have waited for the lock. It may be asked again where its answer was
 * lost: a hold that is gone has been settled, together with its exchange, unless the sweeper took it.
 */
export class StoreExchange extends Migration {
  override name = "0015-store-exchange";

  override up(): void {
    this.addSql(`create function store_exchange(
        of_soul bigint, of_token_hash text, asker text, asker_name text, question text,
        replier_name text, reply text, hold bigint,
        out room_id bigint, out is_open boolean, out former_head bigint,
        out question_id bigint, out reply_id bigint, out unsummarised int)
      language plpgsql as $$
      declare room chat_rooms%rowtype;
      begin
        select * into room from chat_rooms
          where chat_rooms.soul_id = of_soul and chat_rooms.token_hash = of_token_hash for update;
        room_id := room.id;
        former_head := room.head_id;
        is_open := not room.is_private or room.owner = asker;
        if is_open is not true then return; end if;
        delete from quota_holds where quota_holds.id = hold;
        if not found then
          -- Stored by an attempt whose answer was lost; attempts end within a minute and a half.
          select asked.prev_id, asked.id, said.id into former_head, question_id, reply_id
            from (
              select line.* from chat_messages as line where line.room_id = room.id
              order by line.id desc limit 1000) as said
            join chat_messages as asked on asked.id = said.prev_id
            where said.role = 'assistant' and said.content = reply
              and said.created_at > hub_now() - interval '2 minutes'
              and asked.sender = asker and asked.content = question
            order by said.id desc limit 1;
        end if;
        -- A hold that was swept meanwhile is gone: that reply costs nothing.
        if reply_id is null then
          former_head := room.head_id;
          -- The ids are taken under the lock: those of a room are in commit order.
          insert into chat_messages as line (room_id, prev_id, role, sender, sender_name, content)
            values (room.id, room.head_id, 'user', asker, asker_name, question)
            returning line.id into question_id;
          insert into chat_messages as line (room_id, prev_id, role, sender, sender_name, content)
            values (room.id, question_id, 'assistant', 'soul', replier_name, reply)
            returning line.id into reply_id;
          update chat_rooms set head_id = reply_id, updated_at = hub_now()
            where chat_rooms.id = room.id;
        end if;
        -- As far as it takes to know whether the summary is due.
        select count(*) into unsummarised from (
          select from chat_messages as line
          where line.room_id = room.id and line.id > room.summarised_to limit 50) as lines;
      end $$`);
  }
}
