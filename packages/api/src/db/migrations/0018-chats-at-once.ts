import { Migration } from "@mikro-orm/migrations";

/**
 * What many chats that begin at once need of the database (docs/decisions/0015): their units taken by
 * one call for all of them, and a room made together with its first exchange.
 */
export class ChatsAtOnce extends Migration {
  override name = "0018-chats-at-once";

  override up(): void {
    // In the order of subjects, in which giving back locks them too: nobody waits in a circle. A guest's
    // second counter, the address, breaks that order, so a guest is asked for alone.
    this.addSql(`create function reserve_units(wanted jsonb)
        returns table (nth int, hold bigint, used int, premium_used int, shared_used int)
      language plpgsql as $$
      declare
        today constant date := (hub_now() at time zone 'utc')::date;
        one record;
      begin
        for one in
          select * from jsonb_to_recordset(wanted) as asked (
            nth int, subject text, daily_limit int, shared_subject text, shared_limit int,
            units int, premium_units int, premium_limit int, hold_seconds int)
          order by asked.subject, asked.nth
        loop
          nth := one.nth;
          hold := null;
          shared_used := null;
          used := null;
          if one.units <= one.daily_limit and one.premium_units <= one.premium_limit then
            insert into quota_days as counter (subject, day, used, premium_used)
              values (one.subject, today, one.units, one.premium_units)
              on conflict on constraint quota_days_pkey do update set
                used = counter.used + excluded.used,
                premium_used = counter.premium_used + excluded.premium_used
              -- Who takes no premium unit isn't asked for the balance: a pro who used it and is vip or
              -- free now has none left to spend, and all others.
              where counter.used + excluded.used <= one.daily_limit
                and (excluded.premium_used = 0
                  or counter.premium_used + excluded.premium_used <= one.premium_limit)
              returning counter.used, counter.premium_used into used, premium_used;
          end if;
          if used is not null and one.shared_subject is not null then
            if one.units <= one.shared_limit then
              insert into quota_days as counter (subject, day, used, premium_used)
                values (one.shared_subject, today, one.units, 0)
                on conflict on constraint quota_days_pkey do update
                  set used = counter.used + excluded.used
                where counter.used + excluded.used <= one.shared_limit
                returning counter.used into shared_used;
            end if;
            if shared_used is null then
              -- From both or from neither.
              delete from quota_days as counter
                where counter.subject = one.subject and counter.day = today
                  and counter.used = one.units and counter.premium_used = one.premium_units;
              if not found then
                update quota_days as counter set
                  used = counter.used - one.units,
                  premium_used = counter.premium_used - one.premium_units
                  where counter.subject = one.subject and counter.day = today;
              end if;
              used := null;
            end if;
          end if;
          if used is not null then
            insert into quota_holds as taken
                (subject, ip_subject, day, units, premium_units, expires_at)
              values (one.subject, one.shared_subject, today, one.units, one.premium_units,
                hub_now() + make_interval(secs => one.hold_seconds))
              returning taken.id into hold;
          end if;
          return next;
        end loop;
      end $$`);

    // Whoever of two is first makes the room; the other finds it.
    this.addSql(`create function store_first_exchange(
        of_soul bigint, of_token_hash text, of_token_sealed text, asker text, asker_name text,
        question text, replier_name text, reply text, hold bigint,
        out room_id bigint, out is_open boolean, out former_head bigint,
        out question_id bigint, out reply_id bigint, out unsummarised int)
      language plpgsql as $$
      begin
        insert into chat_rooms (soul_id, token_hash, token_sealed, owner)
          values (of_soul, of_token_hash, of_token_sealed, asker)
          on conflict do nothing;
        select * from store_exchange(of_soul, of_token_hash, asker, asker_name, question,
            replier_name, reply, hold)
          into room_id, is_open, former_head, question_id, reply_id, unsummarised;
      end $$`);
  }
}
