-- breaking: no

-- The access token of a service that signs in with OAuth 2, for all processes: some providers take the first token back
-- when they give a second, so one process at a time asks for one (sessions/access-token.ts).
create table service_tokens (
  service_id bigint primary key references services,
  -- of the credentials that it was got with
  fingerprint text,
  -- null: a service refused it, or none was got yet
  sealed_token text,
  expires_at timestamptz,
  -- who is asking for a new one, and until when nobody else does
  lease_owner text,
  lease_expires_at timestamptz
);

-- What turning texts into vectors took, summed by day (UTC).
create table embedding_usage (
  sub_organization_id bigint not null references sub_organizations,
  day date not null,
  model text not null,
  -- passage: a part of a data source; question: what an agent searched for
  purpose text not null,
  texts bigint not null,
  -- of texts whose provider counts them; Google's doesn't
  tokens bigint not null,
  primary key (sub_organization_id, day, model, purpose)
);

-- Which sources lack vectors of a model is told without reading those that have them (agents/source-embedding.ts).
create index data_source_chunks_model on data_source_chunks (embedding_model, data_source_id);
-- Parts of nothing but blanks, which no provider takes: one of them kept its whole source from being embedded.
delete from data_source_chunks where text = '';
