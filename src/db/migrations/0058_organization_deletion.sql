-- breaking: yes
-- Deleting an organization needs a permission of its own, and can be undone for 30 days. (Breaking: an older program would
-- let the people of a deleted organization in.)
update roles set permissions = (select array_agg(p order by p) from unnest(permissions || '{organizations_delete}'::text[]) p)
where is_system_role and name = 'Admin' and not 'organizations_delete' = any(permissions);

alter table organizations
  -- its channel targets as they were, for an undoing
  add column deleted_targets json,
  -- 30 days later: passwords, tokens and sign-ins are gone for good
  add column closed_at timestamptz;
-- Those deleted by an earlier version have nothing that could come back.
update organizations set closed_at = deleted_at where deleted_at is not null;
