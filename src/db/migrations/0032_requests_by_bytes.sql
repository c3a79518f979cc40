-- breaking: no
-- Compared byte by byte without asking a collation first: in a big list every added request is compared some forty times.
drop index requests_reference;
create unique index requests_reference on requests (batch_key, reference_id text_pattern_ops,
  (case when request_status in ('DUPLICATE', 'INVALID', 'CANCELED') then id else 0 end));
drop index requests_target;
create unique index requests_target on requests (batch_key, target text_pattern_ops)
  where request_status not in ('DUPLICATE', 'INVALID', 'CANCELED');
