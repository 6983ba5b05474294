-- Returns the newest version of a room's summary that covers nothing but the path ending at a leaf
-- (0038), without outdated ones. Given changed_from, the first message that changed, it returns a
-- version from before that message. A reset repeats no message, so it always counts: the messages
-- that it covers must not be summarised again. Without a version, a summary of a server of schema 2
-- counts as the newest.
create or replace function path_summary(of_room bigint, leaf bigint, changed_from bigint)
  returns table (version int, text text, covers_to bigint) language plpgsql stable as $$
  begin
    return query
      select case when candidate.is_kept then candidate.version end,
          candidate.text, candidate.covers_to
        from path_summaries(of_room, leaf) as candidate
        where candidate.text = '' or (not candidate.is_outdated
          and (changed_from is null or candidate.covers_to < changed_from))
        order by candidate.version desc limit 1;
  end $$
