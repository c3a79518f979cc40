-- breaking: no
-- What this installation heard and spoke itself on a call: stored with the call while it runs, and with its session when it
-- is over. Null: the carrier heard and spoke. The cost is null where no price is known.

alter table calls
  add column hearing_ms integer,
  add column speaking_ms integer,
  add column voice_cost_usd double precision;
alter table sessions
  add column hearing_ms integer,
  add column speaking_ms integer,
  add column voice_cost_usd double precision;
