-- breaking: yes
-- What is made with an API token ends with it and does no more than it (accounts/bound.ts). (Breaking: an older program
-- would let in people whose access has ended.)

-- The token that a token was made with; null: a person made it, signed in with a password.
alter table api_tokens add column made_with_token_id bigint references api_tokens;
create index api_tokens_made_with on api_tokens (made_with_token_id) where made_with_token_id is not null;

-- Of a link that was made with a token, and of the sign-in that comes of it. bound_until null: not bounded.
alter table one_time_codes
  add column bound_until timestamptz,
  add column bound_token_id bigint references api_tokens,
  -- null: all that the person's role allows
  add column bound_permissions text[];
alter table sign_ins
  add column bound_until timestamptz,
  add column bound_token_id bigint references api_tokens,
  add column bound_permissions text[];
create index one_time_codes_bound on one_time_codes (bound_token_id) where bound_token_id is not null;
create index sign_ins_bound on sign_ins (bound_token_id) where bound_token_id is not null;

-- A role that was given with a token holds until then. Afterwards the person has lasting_role_id; null: no access.
alter table users
  add column granted_until timestamptz,
  add column granted_by_token_id bigint references api_tokens,
  add column lasting_role_id bigint references roles;
create index users_granted_by on users (granted_by_token_id) where granted_by_token_id is not null;

-- A role that was widened with a token allows that until then. Afterwards it allows lasting_permissions.
alter table roles
  add column granted_until timestamptz,
  add column granted_by_token_id bigint references api_tokens,
  add column lasting_permissions text[];
create index roles_granted_by on roles (granted_by_token_id) where granted_by_token_id is not null;
