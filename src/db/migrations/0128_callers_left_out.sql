-- breaking: no
-- room: contacts
-- Whose callers could not be made contacts, and after which session to look again.
create table contact_intake_behind (
  sub_organization_id bigint primary key references sub_organizations on delete cascade,
  after_session bigint not null
);
