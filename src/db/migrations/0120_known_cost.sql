-- breaking: no
-- room: search
-- What of a session's cost has a price, where not all of it has: a campaign has spent that. Null: cost_usd says it, or only fees.
alter table session_facts add column known_usd real;
