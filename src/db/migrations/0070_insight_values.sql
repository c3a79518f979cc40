-- breaking: no
-- json_value of an insight holds strings and numbers only, as its public type says: booleans, arrays and objects as their
-- JSON text, null as an empty string.
update insight_outputs
set json_value = json_build_object(
  insight_key,
  case json_typeof(json_value -> insight_key) when 'null' then '' else (json_value -> insight_key)::text end
)
where json_typeof(json_value -> insight_key) not in ('string', 'number');
