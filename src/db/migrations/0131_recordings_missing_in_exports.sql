-- breaking: no
-- room: reports
-- How many recordings an export could not take in, so that who reads it knows that they are not there. Null: of an older program.
alter table takeouts add column missing_recordings integer;
