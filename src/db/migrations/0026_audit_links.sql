-- breaking: no
-- The audit trail is a chain: each entry has a link, signed with the installation's key over the one before.

-- Null until the entry is linked; a job does that each minute.
alter table audit_entries add column position bigint;
create index audit_entries_unlinked on audit_entries (sub_organization_id, id) where position is null;

-- Stays when its entry is deleted, and holds nothing of what the entry said.
create table audit_links (
  sub_organization_id bigint not null references sub_organizations,
  position bigint not null,
  entry_id bigint not null,
  at timestamptz not null,
  kept_digest text not null,
  content_digest text not null,
  link text not null,
  constraint audit_links_pkey primary key (sub_organization_id, position)
);

-- One row for each trail: who adds links locks it. Entries from before `deleted_before` may be gone, by retention.
create table audit_heads (
  sub_organization_id bigint primary key references sub_organizations,
  position bigint not null,
  link text not null,
  deleted_before timestamptz,
  deleted_signature text
);
