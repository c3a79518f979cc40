-- breaking: no
-- room: insights
-- Whom agent_list and prompt_list of the conditions name, by number: a session keeps the name of its agent and prompt, and
-- these may get another one.
alter table insight_workflows add column agent_ids bigint[] not null default '{}',
  add column prompt_ids bigint[] not null default '{}';
update insight_workflows w set
  agent_ids = array(
    select a.id from agents a, json_array_elements_text(
      case when json_typeof(w.conditions -> 'agent_list') = 'array' then w.conditions -> 'agent_list' else '[]' end) as named
    where a.sub_organization_id = w.sub_organization_id and a.deleted_at is null and a.name = named order by a.id),
  prompt_ids = array(
    select p.id from prompts p, json_array_elements_text(
      case when json_typeof(w.conditions -> 'prompt_list') = 'array' then w.conditions -> 'prompt_list' else '[]' end) as named
    where p.sub_organization_id = w.sub_organization_id and p.deleted_at is null and p.name = named order by p.id)
where w.deleted_at is null and w.source <> 'upload';
