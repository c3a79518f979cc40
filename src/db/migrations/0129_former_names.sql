-- breaking: no
-- room: agents
-- What an agent was called before: its sessions keep the name they began with, and are searched for by any of them.
alter table agents add column former_names text[] not null default '{}';
update agents a set former_names = f.names
from (
  select s.agent_id, array_agg(distinct s.agent_name) as names
  from sessions s join agents n on n.id = s.agent_id and n.name <> s.agent_name
  group by s.agent_id) f
where f.agent_id = a.id;
