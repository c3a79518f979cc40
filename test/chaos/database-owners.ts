import { hostsAt } from "../../src/carriers/twilio/twilio-api.ts";
import { createTwilio } from "../../src/carriers/twilio/twilio-carrier.ts";
import type { Carriers } from "../../src/channels/carrier.ts";
import { CONSENT_CHANNELS, revokeConsents } from "../../src/consent/consent.ts";
import documented from "../fixtures/twilio/lookup-reassigned.json" with { type: "json" };
import type { TestApp } from "../harness/app.ts";
import { createPeer, json } from "../harness/peer.ts";
import { AGREED_ON, type LookUp, NumberOwners } from "./number-owners.ts";

type OwnersApp = Pick<TestApp, "db" | "admin" | "clock" | "egress">;

/** Consents as rows, and a carrier that says in Twilio's documented words whose numbers are. */
export async function createOwners(app: OwnersApp) {
  let owners = new NumberOwners();
  let answers: LookUp[] = ["truth"];
  let asked = 0;
  const peer = await createPeer();
  peer.respond(({ path }, response) => {
    const { pathname, searchParams } = new URL(path, "http://x");
    const number = decodeURIComponent(pathname.split("/").at(-1) as string);
    const since = (searchParams.get("LastVerifiedDate") as string).replace(/(\d{4})(\d\d)(\d\d)/, "$1-$2-$3");
    const how = answers[asked++ % answers.length] as LookUp;
    const { answer } = owners.ask(number, since, how, app.clock.now());
    const word = { yes: "yes", no: "no", unknown: "no_data_available", failed: null }[answer];
    const said = { is_number_reassigned: word, error_code: answer === "failed" ? 60606 : null };
    const reassigned_number = { ...documented.body.reassigned_number, ...said };
    json(response, 200, { ...documented.body, phone_number: number, reassigned_number });
  });
  const carrier = createTwilio({
    egress: app.egress,
    publicUrl: "https://parley.example",
    hosts: hostsAt(peer.url),
    name: "twilio",
    simulated: false,
  });
  const carriers: Carriers = {
    of: async ({ id }) => ({ carrier, account: { channel_id: id, credentials: {} } }),
  };
  const { sub_organization_id } = app.admin;

  async function consent(addresses: readonly string[], valid_from: string): Promise<void> {
    const channelsOf = (address: string) =>
      CONSENT_CHANNELS.filter((channel) => (channel === "email") === address.includes("@"));
    const rows = addresses.flatMap((address) =>
      channelsOf(address).map((channel) => ({
        sub_organization_id,
        address,
        channel,
        purpose: "marketing" as const,
        given_through: "form" as const,
        valid_from,
        created_at: valid_from,
        created_by: "histories",
      })),
    );
    await app.db.insertInto("consents").values(rows).execute();
  }

  return {
    carriers,
    get books(): NumberOwners {
      return owners;
    },
    /** A history begins; these people agreed long before. */
    async begin(addresses: readonly string[]): Promise<void> {
      owners = new NumberOwners();
      answers = ["truth"];
      await consent(addresses, `${AGREED_ON}T10:00:00Z`);
    },
    /** How the carrier answers from now on, in turn. */
    answerWith(how: LookUp[]): void {
      answers = how;
      asked = 0;
    },
    async withdraw(addresses: readonly string[]): Promise<void> {
      const said = { at: app.clock.now(), through: "operator", said: null, by: "histories" } as const;
      for (const address of addresses)
        await app.db
          .transaction()
          .execute((tx) =>
            revokeConsents(tx, { sub_organization_id, address, channels: CONSENT_CHANNELS }, said),
          );
    },
    async agree(number: string): Promise<void> {
      await this.withdraw([number]);
      await consent([number], app.clock.now().toISOString());
      owners.agree(number, app.clock.now());
    },
  };
}
