import { createEgress, type Egress } from "../../src/egress/egress.ts";
import { parseEgressAllow } from "../../src/egress/egress-allow.ts";
import { createPeer, type PeerRequest } from "./peer.ts";

type DoorAnswer = { status: number; headers?: Record<string, string>; body: string };

/** In front of a carrier's HTTP interface: passes on what it has no word on itself, and counts what goes by. */
type Door = {
  url: string;
  asked(key: string): number;
  accepted(key: string): number;
};

/** `own`: the answer that is given here; "pass": the carrier's at `carrier_url`; "silence": none. */
export async function createDoor(
  carrier_url: string,
  own: (request: PeerRequest) => DoorAnswer | "pass" | "silence",
): Promise<Door> {
  const peer = await createPeer();
  const taken: string[] = [];
  peer.respond(async (request, response) => {
    const word = own(request);
    if (word === "silence") return;
    const answer = word === "pass" ? await passOn(carrier_url, request) : word;
    if (answer.status < 300 && request.method === "POST") taken.push(request.body);
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  const holds = (key: string) => (body: string) => body.includes(key);
  return {
    url: peer.url,
    asked: (key) => peer.requests.filter(({ method, body }) => method === "POST" && holds(key)(body)).length,
    accepted: (key) => taken.filter(holds(key)).length,
  };
}

async function passOn(
  carrier_url: string,
  { method, path, headers, body }: PeerRequest,
): Promise<DoorAnswer> {
  const kept = ["authorization", "content-type"].flatMap((name) =>
    headers[name] === undefined ? [] : [[name, String(headers[name])] as [string, string]],
  );
  const answer = await fetch(carrier_url + path, { method, headers: kept, ...(body && { body }) });
  const told = ["content-type", "retry-after", "x-message-id"].flatMap((name) => {
    const value = answer.headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  return { status: answer.status, headers: Object.fromEntries(told), body: await answer.text() };
}

/** One that may call loopback, and one that may not. */
export function twoEgresses(): { open: Egress; guarded: Egress; close(): Promise<void> } {
  const allowed = parseEgressAllow("127.0.0.1");
  if (!allowed.ok) throw new Error("127.0.0.1 is no rule");
  const open = createEgress({ allow: allowed.rules });
  const guarded = createEgress({ allow: { hosts: [], networks: [] } });
  return {
    open,
    guarded,
    close: async () => {
      await Promise.all([open.close(), guarded.close()]);
    },
  };
}

/** Where nobody listens. */
export const NOWHERE = "http://127.0.0.1:1";
/** Long enough for what answers, on a slow machine too. */
export const PATIENCE_MS = 30_000;
/** For what never does. */
export const HASTE_MS = 300;
