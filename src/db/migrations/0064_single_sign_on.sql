-- breaking: no
-- room: accounts
-- An organization's identity provider, by OpenID Connect. New people get into the sub-organization that it was set in.
create table single_sign_on (
  organization_id bigint primary key references organizations,
  sub_organization_id bigint not null references sub_organizations,
  name text not null,
  issuer text not null,
  client_id text not null,
  sealed_secret text,
  groups_claim text not null,
  roles json not null,
  default_role_id bigint references roles,
  is_enforced boolean not null,
  break_glass text[] not null,
  updated_at timestamptz not null,
  updated_by text not null
);

-- An e-mail domain leads to one organization's provider only.
create table single_sign_on_domains (
  domain text primary key,
  organization_id bigint not null references organizations
);
create index single_sign_on_domains_organization on single_sign_on_domains (organization_id);

-- Who a provider's subject is here: an address that goes to somebody else later gives nobody another's place.
create table user_identities (
  organization_id bigint not null references organizations,
  issuer text not null,
  subject text not null,
  user_id bigint not null references users,
  linked_at timestamptz not null,
  constraint user_identities_pkey primary key (organization_id, issuer, subject)
);
create index user_identities_user on user_identities (user_id);

alter table sign_ins add column by_identity_provider boolean not null default false;
