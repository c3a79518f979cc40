-- breaking: no
-- room: sessions
-- A session has tens of calls, which its primary key finds: each call wrote a second index for one read of the console.
drop index session_tool_calls_id;
