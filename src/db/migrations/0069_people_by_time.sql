-- breaking: no
-- room: batches
-- Boards and alerts count the people of campaigns by when they were tried: of a long history only those of the period are read.
create index requests_sent on requests (sent_at) where attempt_count > 0;
