-- breaking: no
-- room: dialogues
-- How many segments an outgoing SMS is; null: it came in, is no SMS, or is from before they were counted.
alter table text_messages add column segments smallint;
-- room: campaigns
-- Of the cost, what carriers charge as far as the operator's prices say.
alter table campaign_spending add column carrier_usd double precision not null default 0;
-- room: search
-- The same of a session's cost; known where the models' is not, too.
alter table session_facts add column carrier_usd real;
