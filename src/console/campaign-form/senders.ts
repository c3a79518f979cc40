import { useDebouncedValue } from "@mantine/hooks";
import { useQueries, useQuery } from "@tanstack/react-query";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";

const TARGETS = "GET /api/v1/channels/targets";
const OFFERED = 200;
const TYPING_MS = 300;

/** Kinds of addresses that a campaign can send from, by mode: text messages go out by SMS or WhatsApp. */
const senderModes = (mode: string): string[] => (mode === "sms" ? ["sms", "whatsapp"] : [mode]);

/** Agents' addresses to send from, at most as many as a select can offer. */
export function useSenders(mode: string): string[] {
  const may = useMay();
  const targets = useQueries({
    queries: senderModes(mode).map((target_mode) => ({
      queryKey: [TARGETS, "senders", target_mode],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        call(TARGETS, {
          query: { search_fields: ["target_mode"], search_field_values: [target_mode], limit: OFFERED },
          signal,
        }),
      enabled: may("channels_read"),
    })),
  });
  return [...new Set(targets.flatMap(({ data }) => (data?.items ?? []).map(({ target }) => target)))];
}

/** The time zone of the agent that has an address; null where no agent has it, undefined where that is not known. */
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
    ({ target, target_mode }) => target === asked && senderModes(mode).includes(target_mode ?? ""),
  );
  return owner ? (owner.agent?.timezone ?? undefined) : null;
}
