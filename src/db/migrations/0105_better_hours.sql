-- breaking: no
-- room: campaigns
-- Retries of the campaign prefer hours in which people answer, and start so many hours later at most; null: they keep their time.
alter table campaigns add column better_hours_within smallint check (better_hours_within > 0);
-- Calls and answers by hour of the person's day, with the time at which they were counted; null: not yet.
alter table campaigns add column answer_hours json;
