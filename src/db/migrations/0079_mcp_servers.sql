-- breaking: no
-- room: tools
-- A service with an MCP address is an MCP server, whose tools can be tools of agents.
alter table services add column mcp_url text;

-- What such a server offered when it was last asked; of another address than the service's it counts for nothing.
create table mcp_listings (
  service_id bigint primary key references services,
  url text not null,
  revision text,
  server_name text,
  server_version text,
  tools json,
  read_at timestamptz,
  problem text,
  asked_at timestamptz not null
);
