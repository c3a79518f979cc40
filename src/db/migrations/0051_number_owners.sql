-- breaking: no
-- Whose a number of the operator's carrier account is. Numbers of an organization's own account need no row.
create table number_owners (
  number text primary key,
  organization_id bigint not null references organizations,
  assigned_at timestamptz not null,
  assigned_by text not null
);
create index number_owners_organization on number_owners (organization_id, number);

-- Who had an agent on a number first, keeps it.
insert into number_owners (number, organization_id, assigned_at, assigned_by)
select distinct on (t.target) t.target, c.organization_id, t.updated_at, t.last_updated_by
from channel_targets t join channels c on c.id = t.channel_id
where c.channel_service in ('twilio', 'whatsapp') and c.account_sid_last_four is null
order by t.target, t.id;

-- Numbers of others were made known to every channel that listed the account.
delete from channel_addresses a
using channels c, number_owners o
where c.id = a.channel_id and c.channel_service in ('twilio', 'whatsapp') and c.account_sid_last_four is null
  and o.number = a.target and o.organization_id <> a.organization_id
  and not exists (select from channel_targets t where t.channel_id = a.channel_id and t.target = a.target);
