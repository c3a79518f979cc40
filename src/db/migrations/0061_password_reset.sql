-- breaking: no
-- room: accounts
-- A code of a mail with which somebody chooses a new password.
alter table one_time_codes drop constraint one_time_codes_purpose_check;
alter table one_time_codes add constraint one_time_codes_purpose_check
  check (purpose in ('sign-in', 'sign-in-recovery', 'password-reset'));
