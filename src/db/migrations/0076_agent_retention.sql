-- breaking: no
-- room: erasure
-- How long an agent's conversations are kept, where that is not as long as its organization keeps them. It outlives the
-- agent, as its conversations do.
create table agent_retention (
  agent_id bigint primary key references agents,
  sub_organization_id bigint not null references sub_organizations,
  retention json not null,
  updated_at timestamptz not null,
  last_updated_by text not null
);
create index agent_retention_of on agent_retention (sub_organization_id);
