-- breaking: no
-- This installation as a whole: one row. `key_check` is a known text sealed with SECRET_KEY at the first start; a start
-- with another key is refused here, before it could seal anything that the others can't open.
create table installation (
  only_row boolean primary key default true check (only_row),
  key_check text not null,
  created_at timestamptz not null
);
