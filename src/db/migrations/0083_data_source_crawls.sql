-- breaking: no
-- room: knowledge
-- A web site whose pages are documents of a data source, and how far its last run came.
create table data_source_crawls (
  data_source_id bigint primary key references data_sources,
  sub_organization_id bigint not null references sub_organizations,
  start_url text not null,
  -- Links followed from the start; 0: that page alone.
  max_depth integer not null,
  max_pages integer not null,
  -- Null: only when somebody asks for it.
  every_hours integer,
  status text not null check (status in ('running', 'finished', 'stopped', 'failed')),
  problem text,
  -- Runs count from 1; a page says which one found it last.
  run integer not null,
  started_at timestamptz not null,
  finished_at timestamptz,
  -- The last sign of life of a running one: it is taken up again where this is old.
  active_at timestamptz not null,
  next_run_at timestamptz,
  updated_at timestamptz not null,
  last_updated_by text not null
);
create index data_source_crawls_due on data_source_crawls (next_run_at) where (next_run_at is not null);
create index data_source_crawls_running on data_source_crawls (active_at) where (status = 'running');

create table data_source_crawl_pages (
  data_source_id bigint not null references data_source_crawls on delete cascade,
  url text not null,
  run integer not null,
  depth integer not null,
  status text not null check (status in ('waiting', 'read', 'unchanged', 'skipped', 'failed')),
  -- Why it was skipped or failed, in words.
  problem text,
  document_id bigint references data_source_documents on delete set null,
  -- What the server said of the page's state, so that it is sent again only when it has changed.
  etag text,
  last_modified text,
  content_hash text,
  -- Where an unchanged page leads.
  links text[] not null default '{}',
  read_at timestamptz,
  constraint data_source_crawl_pages_pkey primary key (data_source_id, url)
);
create index data_source_crawl_pages_waiting on data_source_crawl_pages (data_source_id, run, depth, url)
  where (status = 'waiting');
create index data_source_crawl_pages_document on data_source_crawl_pages (document_id) where (document_id is not null);
