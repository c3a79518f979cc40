-- breaking: no
-- room: contacts
-- Where an organization asks for it, whoever calls or writes gets a contact: of sessions from this time on; null: nobody does.
alter table organizations add column contacts_from_sessions_since timestamptz;
alter table contact_addresses drop constraint contact_addresses_linked_through_check,
  add constraint contact_addresses_linked_through_check check (linked_through in ('operator', 'request', 'session'));
-- How far sessions were looked at, one row for the installation.
create table contact_intake (
  is_only boolean primary key default true check (is_only),
  after_session bigint not null
);
insert into contact_intake (after_session) values (0);
