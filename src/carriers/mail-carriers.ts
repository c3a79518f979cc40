import { isIP } from "node:net";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import type { Log } from "../base/log.ts";
import { type Carrier, type CarrierAccount, CarrierFault, type CarrierMail } from "../channels/carrier.ts";
import { type Credentials, readChannelAccount } from "../channels/credentials/channel-credentials.ts";
import { readMailAccount, type SmtpServer } from "../channels/credentials/mail-credentials.ts";
import { whyNotOwner } from "../channels/mail-domain-store.ts";
import type { Db } from "../db/database.ts";
import type { Egress } from "../egress/egress.ts";
import { type EgressRules, judgeAddress } from "../egress/egress-address.ts";
import { systemResolve } from "../egress/egress-resolve.ts";
import { sendgridMail } from "./sendgrid/sendgrid-mail.ts";
import { type ReachServer, smtpMail } from "./smtp/smtp-mail.ts";

export type MailCarriers = {
  of(channel_id: number): Promise<{ carrier: Carrier; account: CarrierAccount } | null>;
};

/**
 * Which service an e-mail channel sends by: its own, by its credentials; else, for a system channel, the installation's
 * mail server; and where there is none, the simulator, which reaches nobody and says so.
 */
export function createMailCarriers(parts: {
  db: Db;
  clock: Clock;
  vault: Vault;
  egress: Egress;
  log: Log;
  /** What channels may reach; the installation's own server is the operator's to choose. */
  allow: EgressRules;
  installation: SmtpServer | null;
  simulator: { accountOf(channel_id: number): Credentials };
}): MailCarriers {
  const { db, clock, vault, egress, installation } = parts;
  const own = guardedReach(parts.allow);
  const sendgrid = sendgridMail(egress, clock, ({ credentials }) => accountOf(credentials, "sendgrid"));
  const carriers = {
    sendgrid: carrier("SendGrid", sendgrid),
    simulator: { name: "Mail simulator", simulated: true, mail: sendgrid },
    smtp: carrier(
      "SMTP",
      smtpMail(({ credentials }) => accountOf(credentials, "smtp").server, own),
    ),
    installation:
      installation &&
      carrier(
        "SMTP",
        ownDomainsOnly(
          db,
          smtpMail(() => installation, unguardedReach, { operators: parts.log }),
        ),
      ),
  };
  return {
    async of(channel_id) {
      const found = await readChannelAccount(db, vault, channel_id);
      if (!found) return null;
      const { account } = readMailAccount(found.credentials);
      const known = { account: { channel_id, credentials: found.credentials } };
      if (account.kind !== "installation") return { ...known, carrier: carriers[account.kind] };
      if (carriers.installation) {
        return found.is_system_channel ? { ...known, carrier: carriers.installation } : null;
      }
      const credentials = parts.simulator.accountOf(channel_id);
      return { carrier: carriers.simulator, account: { channel_id, credentials } };
    },
  };
}

const carrier = (name: string, mail: CarrierMail): Carrier => ({
  name,
  simulated: false,
  check: mail.check,
  mail,
});

/** The installation's server sends for every organization, so each may only send as its own domains. */
const ownDomainsOnly = (db: Db, mail: CarrierMail): CarrierMail => ({
  check: mail.check,
  async send(account, outgoing, handingOver) {
    const why = await whyNotOwner(db, account.channel_id, outgoing.from.address);
    if (why !== null) throw new CarrierFault(why, "not-sent", { retry_after_s: 300, ours: "source" });
    return mail.send(account, outgoing, handingOver);
  },
});

function accountOf<Kind extends "sendgrid" | "smtp">(credentials: Credentials, kind: Kind) {
  const { account } = readMailAccount(credentials);
  if (account.kind !== kind) throw new Error(`a channel of ${account.kind} was asked to send by ${kind}`);
  return account as Extract<typeof account, { kind: Kind }>;
}

/** One denied address refuses the whole name, as for every other call that leaves on a user's behalf. */
export function guardedReach(allow: EgressRules): ReachServer {
  return async ({ host, port }) => {
    const addresses = isIP(host) === 0 ? await systemResolve(host) : [host];
    for (const address of addresses) {
      const verdict = judgeAddress(address, host, port, allow);
      if (verdict.kind === "denied")
        return { refused: `${host === address ? "address" : "an address of"} ${host} ${verdict.why}` };
    }
    const [address] = addresses;
    return address ? { address } : { refused: `the name ${host} has no address` };
  };
}

/** The operator's own server may stand anywhere. */
export const unguardedReach: ReachServer = async ({ host }) => ({ address: host });
