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

const SOME_SMS = { medium: "sms", text: "Hello", template: null } as const;

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

/** Telnyx's calls or texts. */
export async function telnyxAdapter(mode: "voice" | "sms"): Promise<Adapter> {
  const records: {
    uuid: string;
    cli: string;
    status: string;
    created_at: string;
    delivery_status_webhook_url: string;
  }[] = [];
  const active: { call_control_id: string; client_state: string; call_duration: number }[] = [];
  const answered = (status: number, body: object, headers = {}) => ({
    status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const door = await createDoor(NOWHERE, ({ method, headers, body }) => {
    if (method === "GET") return answered(200, { data: mode === "voice" ? active : records });
    const { to, from, client_state, webhook_url } = JSON.parse(body);
    const who = String(to).at(-1);
    const takeCall = () =>
      active.push({ call_control_id: `v3:${active.length}`, client_state, call_duration: 0 }) &&
      active.at(-1);
    const takeText = () => {
      const uuid = `text-${records.length}`;
      const created_at = new Date().toISOString();
      records.push({
        uuid,
        cli: from,
        status: "queued",
        created_at,
        delivery_status_webhook_url: webhook_url,
      });
      return { id: uuid, to: [{ phone_number: to, status: "queued" }] };
    };
    const take = mode === "voice" ? takeCall : takeText;
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
    const sent = { ...SOME_CALL, ...SOME_SMS, key, to: `+1512555000${PEOPLE[who]}` };
    const through = others[who] ?? carrier;
    return mode === "voice" ? through.calls!.place(ACCOUNT, sent) : through.texts!.send(ACCOUNT, sent);
  };
  // Our key travels as Base64 with a call, and in an address with a text.
  const inBody = (key: string) =>
    mode === "voice" ? Buffer.from(JSON.stringify({ key })).toString("base64") : `/${key}/status`;
  return {
    send,
    asked: (key) => door.asked(inBody(key)),
    accepted: (key) => door.accepted(inBody(key)),
    secrets: ["the secret"],
    says_when: true,
    lookUp: {
      fail: (took, key) => send(took ? "down" : "failed", key),
      find: (_what, key, since) => {
        const none = async () => new Set<string>();
        const asked = { ...SOME_CALL, ...SOME_SMS, key };
        return mode === "voice"
          ? carrier.calls!.find(ACCOUNT, asked, since, none)
          : carrier.texts!.find(ACCOUNT, asked, since, none);
      },
    },
  };
}
