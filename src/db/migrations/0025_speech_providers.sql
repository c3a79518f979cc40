-- breaking: no
-- An organization's own keys for services that hear and speak on calls.

create table speech_providers (
  organization_id bigint not null references organizations,
  provider text not null check (provider in ('deepgram', 'assemblyai', 'elevenlabs', 'cartesia')),
  base_url text,
  sealed_api_key text not null,
  updated_at timestamptz not null,
  last_updated_by text not null,
  constraint speech_providers_pkey primary key (organization_id, provider)
);
