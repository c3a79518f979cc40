-- breaking: no
-- room: sessions
-- Which agents, prompts and numbers there were, and the sessions of each. Sessions that are over, as each turn rewrites the
-- row of one that runs.
create index sessions_targets on sessions (sub_organization_id, target collate "C") where ended_at is not null;
create index sessions_agent_names on sessions (sub_organization_id, agent_name collate "C") where ended_at is not null;
create index sessions_prompt_names on sessions (sub_organization_id, prompt_name collate "C") where ended_at is not null;
