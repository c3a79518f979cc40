-- breaking: no
-- room: search
-- Sessions are found by what was said in them and by what happened.

-- One row for each session that is over, written by a job after its end.
create table session_search (
  session_id bigint primary key references sessions,
  sub_organization_id bigint not null references sub_organizations,
  -- When the session began, so that days bound a search in its index.
  began_at timestamptz not null,
  -- What was said: each message by the text search configuration of its language.
  words tsvector not null,
  -- What the session is found by, as "kind:value": "tool:book", "failed:book", "end:user"; "org:7" names its owner.
  facets text[] not null,
  -- Of messages that tell no language of their own.
  configuration text not null,
  duration_s double precision,
  -- Models and speech, list price; null where a price is not known.
  cost_usd double precision,
  -- The first sentence of the person, else of the agent.
  opening text
);
-- One index for both, so that words and facets are intersected in it. Without a pending list: its writer waits, no turn does.
create index session_search_words on session_search using gin (words, facets) with (fastupdate = off);
create index session_search_began on session_search (sub_organization_id, began_at);
create index session_search_duration on session_search (sub_organization_id, duration_s);
create index session_search_cost on session_search (sub_organization_id, cost_usd);

-- The configurations that a sub-organization has words in: what is searched for is read by each.
create table search_languages (
  sub_organization_id bigint not null references sub_organizations,
  configuration text not null,
  constraint search_languages_pkey primary key (sub_organization_id, configuration)
);

-- Sessions that ended before there was an index: those below `before_id` are still to be indexed, newest first.
create table search_backfill (
  before_id bigint not null
);
insert into search_backfill select max(id) + 1 from sessions having max(id) is not null;

-- room: sessions
-- Sessions by their rating.
create index session_labels_code on session_labels (sub_organization_id, code, session_id);

-- room: insights
-- Sessions by what an insight tool found; longer texts say something else each time.
create index insight_outputs_value on insight_outputs (sub_organization_id, insight_key, (json_value ->> insight_key), session_id)
  where (session_id is not null and length(json_value ->> insight_key) <= 60);
