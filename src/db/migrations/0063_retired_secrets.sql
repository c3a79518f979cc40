-- breaking: no
-- room: data-keys
-- What earlier secret keys signed for good: links of the audit trail, addresses and links in mails. Sealed by the present key.
create table retired_signing_keys (
  purpose text not null,
  key_id text not null,
  sealed_key text not null,
  retired_at timestamptz not null,
  primary key (purpose, key_id)
);
