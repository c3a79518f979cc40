-- breaking: no
-- The key that a site signs its visitors' identity tokens with; null where it has none.
alter table channel_targets
  add column sealed_identity_key text,
  add column identity_key_set_at timestamptz;
-- Whether the person of a session was proven to be who they are: by an identity token, or by the carrier. Sessions from
-- before are taken for unproven.
alter table sessions
  add column verified boolean not null default false,
  add column claimed_user text,
  add column user_name text;
