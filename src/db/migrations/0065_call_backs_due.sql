-- breaking: no
-- room: dialing
-- The list of call-backs is ordered by when they are due: without this, each page of a long list sorts all of it.
create index call_backs_due on call_backs (sub_organization_id, due_at, id);
