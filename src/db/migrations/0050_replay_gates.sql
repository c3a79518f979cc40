-- breaking: no
-- room: versions
-- A replay that a draft has to pass before it is published: what the agent asks for, and what it said of each version.

alter table agents add column publish_replay_gate json;
alter table agent_versions add column replay_gate json;

-- The newest replay of an agent's draft.
create index replays_agent on replays (agent_id, id desc);
