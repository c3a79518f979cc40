-- breaking: no
-- What may happen by the thousand (wrong passwords, sign-ins of services) has one entry an hour, which counts it. The hash
-- says what and in which hour.
alter table audit_entries add column counted_hash text;
create unique index audit_entries_counted on audit_entries (counted_hash) where counted_hash is not null;
