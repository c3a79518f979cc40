-- breaking: no
-- room: address-book
-- Where an organization seals, name, notes and key of a contact are sealed, and these keyed hashes find the key and the name.
alter table contacts add column key_hash text collate "C", add column name_hash text collate "C";
create unique index contacts_key_hash on contacts (sub_organization_id, key_hash) where (key_hash is not null);
create index contacts_name_hash on contacts (sub_organization_id, name_hash) where (name_hash is not null);
