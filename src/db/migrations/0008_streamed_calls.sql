-- breaking: no
-- The carrier sends the call's audio to us, and comes back to any of our processes when its socket breaks.

alter table calls add column is_streamed boolean not null default false;
