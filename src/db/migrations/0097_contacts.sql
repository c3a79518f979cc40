-- breaking: no
-- room: address-book
-- What an organization knows about a person who has several addresses, or of whom it noted something.
create table contacts (
  id bigint generated always as identity primary key,
  sub_organization_id bigint not null references sub_organizations,
  -- What the organization's own systems call the person, such as a patient's number.
  key text collate "C",
  name text,
  timezone text,
  language text,
  notes text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  last_updated_by text not null
);
create unique index contacts_key on contacts (sub_organization_id, key) where (key is not null);
create index contacts_listed on contacts (sub_organization_id, updated_at, id);
-- An address is one contact's at most, so that it is clear whose caps and opt-outs hold for it.
create table contact_addresses (
  sub_organization_id bigint not null references sub_organizations,
  address text collate "C" not null,
  contact_id bigint not null references contacts on delete cascade,
  linked_at timestamptz not null,
  -- By somebody here or the API, or by the key that a request of a campaign carried.
  linked_through text collate "C" not null check (linked_through in ('operator', 'request')),
  linked_by text,
  constraint contact_addresses_pkey primary key (sub_organization_id, address)
);
create index contact_addresses_contact on contact_addresses (contact_id);
-- room: accounts
-- The variable of requests that carries the key of their person; null: requests link nothing.
alter table organizations add column contact_key_variable text;
-- Set when a contact first has a second address or a time zone, never unset: until then a claim asks nothing about contacts.
alter table organizations add column has_linked_addresses boolean not null default false;
-- room: erasure
-- Of the person's other addresses, erased with this one.
alter table erasures add column linked_hashes text[] not null default '{}';
create index erasures_linked on erasures using gin (linked_hashes);
