-- breaking: yes
-- Snapshots are stored once per content. Nearly all sessions of an agent have the same, and it was the largest part of
-- their table.

create table session_snapshots (
  sub_organization_id bigint not null references sub_organizations,
  -- The first half of the SHA-256 of the content's text.
  key uuid not null,
  content json not null,
  primary key (sub_organization_id, key)
);

create function pg_temp.snapshot_key(snapshot json) returns uuid language sql
  return encode(substring(sha256(convert_to(snapshot::text, 'UTF8')) for 16), 'hex')::uuid;

insert into session_snapshots (sub_organization_id, key, content)
select first.sub_organization_id, first.key, s.snapshot
from (
  select sub_organization_id, pg_temp.snapshot_key(snapshot) as key, min(id) as id from sessions group by 1, 2
) as first
join sessions s on s.id = first.id;

-- One rewrite of the table. Versions of agents are older than the column agent_version.
alter table sessions
  alter column agent_version type bigint using coalesce(agent_version, (snapshot ->> 'version')::bigint),
  alter column snapshot type uuid using pg_temp.snapshot_key(snapshot);
alter table sessions rename column snapshot to snapshot_key;
create index sessions_snapshot on sessions (sub_organization_id, snapshot_key);
alter table sessions add constraint sessions_snapshot_key_fkey
  foreign key (sub_organization_id, snapshot_key) references session_snapshots (sub_organization_id, key);
