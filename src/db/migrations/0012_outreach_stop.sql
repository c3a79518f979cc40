-- breaking: no
-- One stop for all outreach of an organization: while it is set, no attempt starts. On the organization's own row, because
-- every claim locks that row and so reads what was committed last. `hang_up_at`: since when the carrier is asked to end a
-- call that still rang at a stop; such an attempt does not count for its request.

alter table organizations
  add column outreach_stopped_at timestamptz,
  add column outreach_stopped_by text;
alter table attempts add column hang_up_at timestamptz;
