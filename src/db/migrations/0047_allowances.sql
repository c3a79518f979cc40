-- breaking: no
-- What a sub-organization has used of an allowance (accounts/allowance.ts), in the period that began last.
create table allowances (
  sub_organization_id bigint not null references sub_organizations (id) on delete cascade,
  -- model-tokens | model-cost (micro-dollars) | visitors
  name text not null,
  -- the day or the minute that is counted
  began_at timestamptz not null,
  used bigint not null,
  -- when the event last said that it is used up
  told_at timestamptz,
  primary key (sub_organization_id, name)
);
