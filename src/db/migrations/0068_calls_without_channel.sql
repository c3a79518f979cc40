-- breaking: no
-- room: calls
-- An author's call with the draft of an agent comes by no channel.
alter table calls alter column channel_id drop not null;
