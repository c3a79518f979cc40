-- breaking: no
-- room: accounts
-- Keys of people's devices, by which they sign in. All of one person carry the same handle, which says nothing about them.
create table passkeys (
  id bigint generated always as identity primary key,
  user_id bigint not null references users,
  user_handle text not null,
  credential_id text not null,
  public_key text not null,
  -- What the device last counted to; 0 for good where it counts nothing.
  counter bigint not null,
  transports text[] not null,
  name text not null,
  is_synced boolean not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  -- Its counter went back, so there may be a copy of it: it signs nobody in any more.
  locked_at timestamptz
);
create unique index passkeys_credential on passkeys (credential_id);
create index passkeys_user on passkeys (user_id);

-- Challenges that were answered, until they are too old anyway. Those that are on their way are stored nowhere.
create table spent_challenges (
  challenge_hash text primary key,
  expires_at timestamptz not null
);
create index spent_challenges_end on spent_challenges (expires_at);
