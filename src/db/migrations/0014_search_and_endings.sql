-- breaking: no

-- Trigrams find words that are misspelt. Who may not create extensions has full-text search only.
do $$
begin
  create extension if not exists pg_trgm;
exception
  when insufficient_privilege or feature_not_supported or undefined_file then
    raise notice 'pg_trgm is not available (%): searches in data sources find exact words only', sqlerrm;
end $$;

-- The parts of a data source that a search finds. They follow from its text; where there are none yet, the first
-- search makes them.
create table data_source_chunks (
  data_source_id bigint not null references data_sources,
  position integer not null,
  text text not null,
  -- stems for English, words as they stand for all other languages
  words tsvector not null generated always as
    (to_tsvector('english', text) || to_tsvector('simple', text)) stored,
  primary key (data_source_id, position)
);
create index data_source_chunks_words on data_source_chunks using gin (words);

-- The words of a data source as they stand in it; what a misspelt one was meant to be is looked up here. Trigrams of the
-- texts themselves would be ten times as many.
create table data_source_words (
  data_source_id bigint not null references data_sources,
  word text not null,
  primary key (data_source_id, word)
);
do $$
begin
  if exists (select from pg_extension where extname = 'pg_trgm') then
    create index data_source_words_trigrams on data_source_words using gin (word gin_trgm_ops);
  end if;
end $$;

-- The session end tool's one call. The row is committed before the call is made: a call whose process died over it may
-- have had its effect, and is never made again.
create table session_end_calls (
  session_id bigint primary key references sessions,
  tool_call_id text not null,
  started_at timestamptz not null,
  -- null: being made, or its process died over it
  finished_at timestamptz
);

-- The batch was deleted or has expired, and a job cancels what waits in it, slice by slice: until it is done, every
-- PENDING request of the batch counts as CANCELED (outbound/cancel-waiting.ts).
alter table batches add column cancels_waiting boolean not null default false;

-- A list of tools names the first prompts of each; sorted here, no more of them are read.
create index prompt_tools_tool_prompt on prompt_tools (tool_id, prompt_id);
drop index prompt_tools_tool;

create index batches_cancels_waiting on batches (key) where cancels_waiting;
