import { useAction } from "../parts/action.ts";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { TestLine } from "../settings/test-line.tsx";

/** Asks a channel's carrier now whether its account is good; nothing is sent. */
export function TestCarrier({ channel_id, name }: { channel_id: number; name: string }) {
  const may = useMay();
  const test = useAction({
    mutationFn: () => call("POST /api/v1/channels/{channel_id}/carrier/test", { path: { channel_id } }),
  });
  return (
    <TestLine
      name={name}
      action="Test the account"
      mayTest={may("channels_write")}
      test={test}
      verdictOf={({ works }) =>
        works ? { tone: "good", word: "works" } : { tone: "bad", word: "does not work" }
      }
    />
  );
}
