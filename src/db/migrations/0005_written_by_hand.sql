-- breaking: no
-- Who wrote a message in the agent's place; null: the agent, or the person it talks with.

alter table session_messages add column written_by text;

-- Calls and texts of the simulator from before its ids had a mark: their ids are version 4 UUIDs, which a carrier's look
-- like in one of 64, and their channel has no carrier account.
update sessions s set simulated = true
where not s.simulated and s.channel in ('voice', 'sms', 'whatsapp')
  and s.channel_manager_sid ~ '^[A-Z]{2}[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}$'
  and exists (
    select from channels c
    where c.sealed_credentials is null and c.channel_service in ('twilio', 'whatsapp')
      and (c.id in (select channel_id from calls where session_id = s.id)
        or c.id in (select channel_id from text_messages where session_id = s.id)));
