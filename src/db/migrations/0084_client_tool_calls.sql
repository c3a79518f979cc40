-- breaking: no
-- room: sessions
-- Calls of tools that run in the visitor's page. Arguments and answer are sealed, and gone once the turn has the answer
-- or waits no more: what came of a call is in session_tool_calls, as of every tool.
create table client_tool_calls (
  id bigint generated always as identity primary key,
  session_id bigint not null references sessions on delete cascade,
  -- Names the call to the page.
  key text not null unique,
  tool_name text not null,
  sealed_arguments text,
  sealed_answer text,
  state text not null default 'pending' check (state in ('pending', 'answered', 'settled')),
  expires_at timestamptz not null
);
create index client_tool_calls_of_session on client_tool_calls (session_id);
