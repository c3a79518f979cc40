-- breaking: no
-- What a round of a model was sent has the round's own row: the parts that are new to the session in its content, and all
-- parts in their order by reference to the round before it (src/sessions/sent/sent-parts.ts). Rounds from before have rows of
-- kind part, and their keys in the content.

alter table sent_records add column refs json;
