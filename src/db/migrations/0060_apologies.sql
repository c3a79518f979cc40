-- breaking: no
-- What the program said in the agent's place because the model gave no answer. It is said and shown like the agent's words,
-- but the model never reads it back as its own.
alter table session_messages add column is_apology boolean not null default false;
