-- breaking: no
-- A telephone rings once at a time: of an organization, one attempt at most is under way to one number or address.

-- Of two that are, the later one gives back its line, so that the index can be made; it ends as any other.
update attempts a set holds_slot = false
where a.holds_slot and exists (
  select from attempts e
  where e.organization_id = a.organization_id and e.target = a.target and e.holds_slot and e.key < a.key
);
create unique index attempts_live_address on attempts (organization_id, target) where holds_slot;
