-- breaking: no
-- room: campaigns
-- What a carrier said last of whether the number was given to somebody else since a date; null: nobody asked.
alter table number_lookups
  add column reassigned_since date,
  add column reassigned text check (reassigned in ('yes', 'no', 'unknown', 'not-offered', 'failed')),
  add column reassigned_error text,
  add column reassigned_at timestamptz;
