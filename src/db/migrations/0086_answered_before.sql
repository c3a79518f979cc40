-- breaking: no
-- Who answered, and whether a message was left, of calls made before a request kept it (0067): from its last attempt that
-- the carrier took, as dialing/settlement.ts would say it. What no attempt tells stays null: not recorded.
with last as (
  select distinct on (a.batch_key, a.request_id) a.batch_key, a.request_id, a.state, a.answerer, a.session_id,
    coalesce(a.answerer, case when a.channel_status in ('IN-PROGRESS', 'COMPLETED') then 'UNKNOWN' end) as answered_by
  from attempts a
  join requests r on r.batch_key = a.batch_key and r.id = a.request_id and r.answered_by is null
  where a.mode = 'voice' and a.placed_at is not null
  order by a.batch_key, a.request_id, a.started_at desc, a.key desc
)
update requests r set
  answered_by = last.answered_by,
  voicemail_left = case when last.state = 'ENDED' then
    exists (
      select from session_tool_calls t
      where t.session_id = last.session_id and t.tool_name = 'leave_voicemail' and t.error is null
    ) or (last.answerer = 'MACHINE' and exists (
      select from session_messages m where m.session_id = last.session_id and m.role = 'agent' and m.text <> ''
    )) end
from last
where r.batch_key = last.batch_key and r.id = last.request_id and last.answered_by is not null;
