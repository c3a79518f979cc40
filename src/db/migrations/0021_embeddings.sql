-- breaking: no

-- What a part of a data source means, as a vector of the embedding model that is configured, one signed byte for each
-- dimension (agents/source-vectors.ts). A job fills it in after the part is stored; without it the part is found by words.
alter table data_source_chunks
  add column embedding bytea,
  add column embedding_model text;
-- Bytes of a vector don't get any smaller.
alter table data_source_chunks alter column embedding set storage external;
