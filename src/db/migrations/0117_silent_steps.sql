-- breaking: no
-- room: batches
-- Steps (by number) whose words can't be made, until when each is left alone, and why; null: none.
alter table batch_pacing add column silent_steps json;
