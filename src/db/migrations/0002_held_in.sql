-- breaking: no
-- The session whose dialogue shows a message that was held, and whether a person let it be answered all the same.

alter table text_messages
  add column held_in bigint references sessions on delete set null,
  add column released boolean not null default false;
alter table mail_messages
  add column held_in bigint references sessions on delete set null,
  add column released boolean not null default false;
create index text_messages_held_in on text_messages (held_in, id) where held_in is not null;
create index mail_messages_held_in on mail_messages (held_in, id) where held_in is not null;
