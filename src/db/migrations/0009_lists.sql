-- breaking: no
-- Lists of a million rows find the few that are searched for. Where pg_trgm is missing, searches for a part of a text read
-- each row, as before.

-- With is_test, a page and a total are read from the index alone: all lists leave tests out.
drop index sessions_timestamp;
create index sessions_timestamp on sessions (sub_organization_id, timestamp desc, id desc) include (is_test);
create index sessions_tests on sessions (sub_organization_id, timestamp desc, id desc) where is_test;

create index audit_entries_record on audit_entries (sub_organization_id, resource_id, at desc);
create index audit_entries_user on audit_entries (sub_organization_id, user_id, at desc) where user_id is not null;
create index audit_entries_token on audit_entries (sub_organization_id, api_token_id, at desc)
  where api_token_id is not null;
create index audit_entries_request on audit_entries (request_id) where request_id is not null;

do $$
begin
  if exists (select from pg_extension where extname = 'pg_trgm') then
    -- What was written last waits in a list that each search reads and whoever fills it sorts in: 1 MB, not 4, of those two
    -- that turns and dialing write.
    -- Of sessions that are over: a turn rewrites the row of one that runs, and would write all of this again.
    create index sessions_words on sessions
      using gin (source gin_trgm_ops, target gin_trgm_ops, agent_name gin_trgm_ops, prompt_name gin_trgm_ops)
      with (gin_pending_list_limit = 1024) where ended_at is not null;
    create index events_person on events using gin (user_id gin_trgm_ops) with (gin_pending_list_limit = 1024);
    create index suppressions_address on suppressions using gin (address gin_trgm_ops);
    create index audit_entries_words on audit_entries using gin (actor gin_trgm_ops, address gin_trgm_ops);
  end if;
end $$;
