-- breaking: no
-- Why a message that came in was not answered: its sender looks like a program that answers by itself.

alter table text_messages add column held text check (held in ('repeated', 'pace'));
alter table mail_messages add column held text check (held in ('repeated', 'pace'));
-- What a correspondence has heard within a day.
create index mail_messages_heard on mail_messages (channel_target_id, from_address, id) where direction = 'in';
