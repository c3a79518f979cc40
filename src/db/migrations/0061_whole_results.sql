-- breaking: no
-- What a tool answered, where it was longer than what the model got to read of it.
alter table session_tool_calls add column whole_result json;
