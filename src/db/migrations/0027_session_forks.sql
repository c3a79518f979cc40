-- breaking: no
-- room: debugger
-- Sessions that were forked off another one before one of its turns, and where that turn stands while it is debugged.

-- The turn has ended once the session's finished_turn has reached turn_index. Until then nothing of it is stored but the
-- person's words: what models and tools answered so far is here, and with it the turn is told again up to where it stopped.
create table session_forks (
  session_id bigint primary key references sessions,
  origin_id bigint references sessions on delete set null,
  turn_index integer not null,
  override_timestamp text not null,
  breakpoints json not null,
  -- The answers of models and tools, in their order.
  rounds json not null default '[]',
  calls json not null default '[]',
  -- What the author changed at each stop, under the stop's number.
  decisions json not null default '{}',
  -- Where the turn stands, and its memory there; null before it has stopped.
  stop json,
  -- Stops up to this number are passed.
  passed integer not null default 0,
  -- Who runs the turn counts up: answers of a run that was thought dead are not taken.
  run integer not null default 0,
  running_since timestamptz
);
create index session_forks_origin on session_forks (origin_id) where (origin_id is not null);
