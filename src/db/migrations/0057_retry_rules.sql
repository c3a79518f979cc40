-- breaking: no
-- room: campaigns
-- When and how often a campaign tries again after each outcome; null: its two fields alone decide.
alter table campaigns add column retry_rules json;
