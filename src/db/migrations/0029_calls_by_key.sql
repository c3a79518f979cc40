-- breaking: no
-- Who picked up a transfer is told by the key of the call, and kept only for a call that there is (calls/transfer-answerer.ts).
create index calls_key on calls (key) where key is not null;
-- Until now whatever was told was kept.
delete from transfer_answerers where at < now() - interval '1 day';
