import { Alert } from "@mantine/core";
import { IconInfoCircle, IconTheater } from "@tabler/icons-react";
import { queryOptions, useQuery } from "@tanstack/react-query";
import type { Channel } from "../api-types.ts";
import { Status } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { SERVICES } from "./channel-values.ts";

const carrierQuery = (channel_id: number) =>
  queryOptions({
    queryKey: ["carrier", channel_id],
    queryFn: ({ signal }) =>
      call("GET /api/v1/channels/{channel_id}/carrier", { path: { channel_id }, signal }),
  });

/** The carrier that a channel really uses. A web chat needs none. */
export function CarrierStatus({ channel }: { channel: Channel }) {
  const needed = channel.channel_service !== "webchat";
  const carrier = useQuery({ ...carrierQuery(channel.id), enabled: needed });
  if (!needed) return <Status tone="good">built in</Status>;
  if (!carrier.data) return <span>…</span>;
  if (carrier.data.simulated) return <Status tone="warn">simulated</Status>;
  if (carrier.data.name === null) return <Status tone="bad">none</Status>;
  return <Status tone="good">{carrier.data.name}</Status>;
}

/** Warns about a channel that reaches nobody. */
export function CarrierNote({ channel }: { channel: Channel }) {
  const needed = channel.channel_service !== "webchat";
  const carrier = useQuery({ ...carrierQuery(channel.id), enabled: needed });
  if (!carrier.data) return null;
  const { name, simulated, note } = carrier.data;
  if (simulated) {
    return (
      <Alert color="yellow" icon={<IconTheater />} title="Simulated: no one is contacted" mb="md">
        {note} Name an account under Settings when you want to go live.
      </Alert>
    );
  }
  if (name !== null) return null;
  const service = SERVICES[channel.channel_service].name;
  return (
    <Alert color="red" icon={<IconInfoCircle />} title="No carrier for this channel" mb="md">
      {["twilio", "whatsapp", "email"].includes(channel.channel_service)
        ? "This channel has no account and may not use the installation's. Add an account under Settings, or allow the installation's."
        : `This installation has no connection to ${service}. Addresses can be kept here, but nothing comes in or goes out.`}
    </Alert>
  );
}
