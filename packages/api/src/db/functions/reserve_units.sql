-- Takes units for a batch of calls, each counted as if alone (0015). hold is null where a counter has
-- too few units left. Locks follow the order of subjects, as refunds do, so there is no deadlock. A
-- guest's second counter, the address, breaks that order: a guest is a batch of one.
-- In PGlite the commit waits for no flush. The flush of a stored reply includes this earlier commit,
-- so a crash loses a hold only together with its reply. PostgreSQL can crash while the hub lives, which
-- would refund a lost hold by an id that another call has by then (0082).
create or replace function reserve_units(wanted jsonb)
    returns table (
      nth int, hold bigint, used int, premium_used int, shared_used int,
      next_day text, seconds_left int)
  language plpgsql as $$
  declare
    today constant date := (hub_now() at time zone 'utc')::date;
    one record;
  begin
    if current_setting('hub.one_process', true) = 'on' then
      perform set_config('synchronous_commit', 'off', true);
    end if;
    next_day := (today + 1)::text;
    seconds_left := ceil(extract(epoch from today + 1 - (hub_now() at time zone 'utc')));
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
          -- A call without premium units ignores that balance: a former pro account may have used
          -- more than its present tier allows.
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
          -- The address has too few units left: return those of the guest.
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
  end $$
