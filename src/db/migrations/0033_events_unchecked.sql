-- breaking: no
-- Checking it for each event took a tenth of what PostgreSQL does to settle an attempt. Events are only ever written
-- in the transaction of a change that belongs to the sub-organization, and those are never removed.
alter table events drop constraint events_sub_organization_id_fkey;
