-- breaking: no
-- Who answered a request's last call, and whether a machine was left a message: what tells reached from not reached.
alter table requests
  -- HUMAN, MACHINE, UNKNOWN (nobody listened for it); null: nobody answered, or no call
  add column answered_by text collate "C",
  add column voicemail_left boolean;
-- Counted for each batch (outbound/request-counts.ts).
create index requests_machine on requests (batch_key, voicemail_left)
  where request_status = 'COMPLETED' and answered_by = 'MACHINE';
