-- breaking: no
-- The comparison of an experiment counts the people of a stage in the order of this index, without sorting or hashing them
-- (src/experiments/comparison.ts). It replaces the index without the person. A million sessions of experiments take about a
-- second, in which no session of an experiment starts.

create index experiment_sessions_people on experiment_sessions (experiment_id, stage, version_number, person);
drop index experiment_sessions_stage;
