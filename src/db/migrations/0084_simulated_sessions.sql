-- Whether a simulated carrier took the mails of a session, whose ids, unlike those of calls and texts, carry no mark of it.
alter table sessions add column simulated boolean not null default false;

update sessions set simulated = true
where channel = 'email' and exists (
  select from mail_messages m
  where m.session_id = sessions.id and m.note = 'Mail simulator: this mail reached nobody.'
);
