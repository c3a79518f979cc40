import { z } from "zod";
import { tryParseJson } from "../../base/parse-json.ts";

/** What we have Telnyx keep with a call and say again with each of its events (`client_state`, Base64). */
const CallState = z.object({
  /** Our key of an outbound attempt. */
  key: z.string().max(200).optional(),
  /** The leg that a transfer of this call rings: the call's own id. */
  transfer_of: z.string().max(500).optional(),
});
export type TelnyxCallState = z.infer<typeof CallState>;

export const writeState = (state: TelnyxCallState): string =>
  Buffer.from(JSON.stringify(state)).toString("base64");

export function readState(client_state: string | null | undefined): TelnyxCallState {
  if (!client_state) return {};
  const read = CallState.safeParse(tryParseJson(Buffer.from(client_state, "base64")));
  return read.success ? read.data : {};
}
