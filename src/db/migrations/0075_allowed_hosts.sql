-- breaking: no
-- Where a service's secrets may be sent: `host` for HTTPS on its usual port, else `host:port`. Null: not settled yet; the
-- first tool that somebody who may write services saves settles it.
alter table services add column allowed_hosts text[];

with called as (
  select t.service_id, t.sub_organization_id, t.definition -> 'endpoint' ->> 'url' as url
  from tools t where t.deleted_at is null
  union all
  select (i.tool_arguments ->> 'service_id')::bigint, i.sub_organization_id, i.tool_arguments ->> 'url'
  from insight_tools i where i.deleted_at is null and i.tool_arguments ->> 'service_id' ~ '^\d{1,15}$'
), addressed as (
  -- A variable that opens the address stands for what the organization's agents have for it.
  select c.service_id, c.sub_organization_id,
    regexp_replace(c.url, '^\s*\{\{[^{}]*\}\}', replace(v.value, '\', '\\')) as url
  from called c
  join agents a on a.sub_organization_id = c.sub_organization_id and a.deleted_at is null
  cross join lateral json_each_text(a.variables::json) v
  where c.url ~ '^\s*\{\{'
    and regexp_replace(v.key, '^vars\.', '') = regexp_replace(
      substring(c.url from '^\s*\{\{\s*([^{}]*?)\s*\}\}'), '^vars\.', '')
  union all
  select service_id, sub_organization_id, url from called
), parts as (
  select service_id, sub_organization_id,
    regexp_match(lower(trim(url)), '^(https?)://(?:[^/?#@]*@)?(\[[0-9a-f:.]+\]|[a-z0-9_][a-z0-9._-]*)(?::(\d{1,5}))?(?:[/?#]|$)') as part
  from addressed
), hosts as (
  select distinct service_id, sub_organization_id,
    part[2] || case coalesce(part[3], case part[1] when 'https' then '443' else '80' end)
      when '443' then '' else ':' || coalesce(part[3], '80') end as host
  from parts where part is not null
)
update services s set allowed_hosts = array(
  select h.host from hosts h
  where h.service_id = s.id and h.sub_organization_id = s.sub_organization_id order by h.host limit 50)
where s.sealed_auth_values is not null
  and exists (select from hosts h where h.service_id = s.id and h.sub_organization_id = s.sub_organization_id);
