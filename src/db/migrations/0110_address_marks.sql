-- breaking: no
-- room: evaluations
-- Of a sealed document: keyed and salted marks of the numbers and e-mail addresses in it, so that an erasure reads only those
-- that may quote its person (src/redaction/address-marks.ts). Null: in clear, or sealed before there were marks.
alter table test_cases add column address_marks bytea;
alter table test_runs add column address_marks bytea;
-- Read without the documents, which are a hundred times as long.
create index test_cases_marks on test_cases (sub_organization_id, id) include (address_marks)
  where address_marks is not null;
create index test_cases_unmarked on test_cases (sub_organization_id, id) where address_marks is null;
