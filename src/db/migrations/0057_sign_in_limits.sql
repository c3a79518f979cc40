-- breaking: no
-- Wrong entries at the sign-in and invitations sent, counted for limits that hold for all processes. Keys are hashes: no
-- address of a person stands here.
create unlogged table attempt_counts (
  key text primary key,
  count integer not null,
  window_ends timestamptz not null
);
create index attempt_counts_window on attempt_counts (window_ends);
