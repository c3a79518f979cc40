-- breaking: no
-- room: experiments
-- What came of each stage (ExperimentComparison; null: not known), written down each day as long as all its sessions are
-- kept, and when. Retention deletes sessions, and a result stays what it was.
alter table experiments add column results json, add column results_at timestamptz;
