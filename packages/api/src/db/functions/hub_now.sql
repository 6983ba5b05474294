-- The hub's clock. Passes, sessions and quota days go by it. Tests replace it to move time.
create or replace function hub_now() returns timestamptz language sql stable as 'select now()'
