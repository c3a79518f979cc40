-- breaking: no
-- room: insights
-- PostgreSQL doesn't read the statistics of an index of some rows, so it took a value that nearly all sessions have for a rare
-- one, and sorted all of them for a page.
create statistics insight_outputs_found on (json_value ->> insight_key) from insight_outputs;
create statistics insight_outputs_length on (length(json_value ->> insight_key)) from insight_outputs;
analyze insight_outputs;
