import { afterAll } from "vitest";
import { createTelnyx } from "../../src/carriers/telnyx/telnyx-carrier.ts";
import type { CarrierAccount, Taken } from "../../src/channels/carrier.ts";
import type { Adapter, Meeting } from "./carrier-adapter.ts";
import { createDoor, HASTE_MS, NOWHERE, PATIENCE_MS, twoEgresses } from "./carrier-door.ts";
import { SOME_CALL } from "./twilio-adapter.ts";

const ACCOUNT: CarrierAccount = {
  channel_id: 7,
  credentials: { carrier: "telnyx", api_key: "the secret", public_key: "", connection_id: "1234" },
};

type Behaviour = Meeting | "failed";
/** The people of the door, by the last digit of their number. */
const PEOPLE: Record<Behaviour, string> = {
  fine: "1",
  refused: "2",
  busy: "3",
  down: "4",
  failed: "5",
  silent: "6",
  nonsense: "7",
  "not-signed-in": "8",
  unreachable: "1",
  forbidden: "1",
};

/** Telnyx's calls. */
export async function telnyxAdapter(): Promise<Adapter> {
  const active: { call_control_id: string; client_state: string; call_duration: number }[] = [];
  const answered = (status: number, body: object, headers = {}) => ({
    status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const door = await createDoor(NOWHERE, ({ method, headers, body }) => {
    if (method === "GET") return answered(200, { data: active });
    const { to, client_state } = JSON.parse(body);
    const who = String(to).at(-1);
    const take = () =>
      active.push({ call_control_id: `v3:${active.length}`, client_state, call_duration: 0 }) &&
      active.at(-1);
    if (who === PEOPLE.refused)
      return answered(422, { errors: [{ code: "10016", title: "Invalid number", detail: "It is none" }] });
    if (who === PEOPLE.busy)
      return answered(
        429,
        { errors: [{ code: "10011", title: "Too many requests" }] },
        { "retry-after": "2" },
      );
    if (who === PEOPLE.down) take();
    if (who === PEOPLE.down || who === PEOPLE.failed)
      return answered(503, { errors: [{ code: "10007", title: "Unexpected error" }] });
    if (who === PEOPLE.silent) return "silence";
    if (who === PEOPLE.nonsense) return answered(200, { data: 7 });
    if (who === PEOPLE["not-signed-in"])
      return answered(401, { errors: [{ code: "10009", title: `No such key: ${headers.authorization}` }] });
    return answered(200, { data: take() ?? {} });
  });
  const egress = twoEgresses();
  afterAll(() => egress.close());
  const at = (base_url: string, timeout_ms = PATIENCE_MS, through = egress.open) =>
    createTelnyx({ egress: through, publicUrl: "https://parley.example.com", base_url, timeout_ms });
  const carrier = at(door.url);
  const others: Partial<Record<Behaviour, ReturnType<typeof at>>> = {
    silent: at(door.url, HASTE_MS),
    unreachable: at(NOWHERE),
    forbidden: at(door.url, PATIENCE_MS, egress.guarded),
  };
  const send = (who: Behaviour, key: string): Promise<Taken> => {
    const call = { ...SOME_CALL, key, to: `+1512555000${PEOPLE[who]}` };
    return (others[who] ?? carrier).calls!.place(ACCOUNT, call);
  };
  // Our key travels as Base64.
  const inBody = (key: string) => Buffer.from(JSON.stringify({ key })).toString("base64");
  return {
    send,
    asked: (key) => door.asked(inBody(key)),
    accepted: (key) => door.accepted(inBody(key)),
    secrets: ["the secret"],
    says_when: true,
    lookUp: {
      fail: (took, key) => send(took ? "down" : "failed", key),
      find: (_what, key, since) =>
        carrier.calls!.find(ACCOUNT, { ...SOME_CALL, key }, since, async () => new Set<string>()),
    },
  };
}
