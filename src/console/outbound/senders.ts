import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { call } from "../ground/api.ts";
import { useMay } from "../ground/me.tsx";

const TARGETS = "GET /api/v1/channels/targets";
const OFFERED = 200;
const TYPING_MS = 300;

/** Addresses of agents, to send from; as many as a chooser can offer. */
export function useSenders(mode: string): string[] {
  const may = useMay();
  const targets = useQuery({
    queryKey: [TARGETS, "senders", mode],
    queryFn: ({ signal }) =>
      call(TARGETS, {
        query: { search_fields: ["target_mode"], search_field_values: [mode], limit: OFFERED },
        signal,
      }),
    enabled: may("channels_read"),
  });
  return [...new Set((targets.data?.items ?? []).map(({ target }) => target))];
}

/** The clock of the agent that has an address; null where no agent has it, undefined where that is not known. */
export function useClockOf(source: string, mode: string): string | null | undefined {
  const may = useMay();
  const [asked] = useDebouncedValue(source.trim(), TYPING_MS);
  const targets = useQuery({
    queryKey: [TARGETS, "clock", asked],
    queryFn: ({ signal }) =>
      call(TARGETS, { query: { search_fields: ["target"], search_field_values: [asked] }, signal }),
    enabled: asked !== "" && may("channels_read"),
  });
  if (asked === "") return null;
  if (!targets.data) return undefined;
  const owner = targets.data.items.find(
    ({ target, target_mode }) => target === asked && target_mode === mode,
  );
  return owner ? (owner.agent?.timezone ?? undefined) : null;
}
