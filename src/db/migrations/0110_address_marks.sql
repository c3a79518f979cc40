-- breaking: no
-- room: evaluations
-- Of a sealed document: keyed and salted marks of the numbers and e-mail addresses in it, so that an erasure reads only those
-- that may quote its person (src/redaction/address-marks.ts). Null: in clear, or sealed before there were marks.
alter table test_cases add column address_marks bytea;
alter table test_runs add column address_marks bytea;
