import { z } from "zod";
import { recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Vault } from "../base/crypto.ts";
import { Fault } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { simulatedAccount } from "../carriers/simulator-account.ts";
import type { Carriers } from "../channels/carrier.ts";
import { findChannel } from "../channels/channel.ts";
import type { Db } from "../db/database.ts";
import type { MailSimulator } from "./mail-simulator.ts";
import type { Simulator } from "./simulator.ts";

/** Numbers that nobody has, and a domain that nobody can have: no real person is ever spoken for. */
const number = z.string().regex(/^\+1512555\d{4}$/, "Input should be a number such as +15125550101");
const address = z
  .string()
  .max(100)
  .regex(/^[a-z0-9.+_-]+@people\.example$/, "Input should be an address such as ann+01@people.example");
const to = z.string().min(1).max(320);

const SimulatedContact = z
  .discriminatedUnion("mode", [
    z.object({ mode: z.literal("voice"), from: number, to }),
    z.object({ mode: z.literal("sms"), from: number, to, text: z.string().min(1).max(1600) }),
    z.object({
      mode: z.literal("email"),
      from: address,
      to,
      subject: z.string().min(1).max(200),
      text: z.string().min(1).max(10_000),
    }),
  ])
  .meta({ id: "SimulatedContact" });
type SimulatedContact = z.infer<typeof SimulatedContact>;

/** Has a person of the simulator call or write to an address, on channels whose carrier is the simulator. */
export function simulatedContactRoutes(
  api: Api,
  parts: {
    db: Db;
    vault: Vault;
    log: Log;
    carriers: Carriers;
    simulator: Simulator | null;
    mail: MailSimulator;
  },
): void {
  const { db, vault, log, carriers, simulator, mail } = parts;

  const begin = async (channel_id: number, contact: SimulatedContact): Promise<unknown> => {
    if (contact.mode === "email") {
      const { mode: _, ...written } = contact;
      return mail.write(channel_id, written);
    }
    const { account_sid } = simulatedAccount(vault, channel_id);
    if (!simulator || !account_sid) return undefined;
    const { from, to } = contact;
    return contact.mode === "voice"
      ? simulator.call(account_sid, { from, to })
      : simulator.text(account_sid, { from, to, body: contact.text });
  };

  api.post(
    "/api/v1/channels/:channel_id/simulated_contacts",
    {
      summary: "Have a simulated person call or write",
      description:
        "On a channel whose carrier is the simulator. Who the person is, is said by the last two digits of the number, or of the address before the @ (ann+01@people.example). They answer to the end by themselves; the conversation is a session like any other, marked as simulated.",
      tag: "channels",
      permission: "channels_write",
      params: z.object({ channel_id: recordId() }),
      body: SimulatedContact,
      response: z.object({ mode: z.string(), from: z.string(), to: z.string() }).meta({ id: "BegunContact" }),
    },
    async ({ caller, params, body }) => {
      const channel = await findChannel(db, caller, params.channel_id);
      const found = await carriers.of(channel);
      if (!found?.carrier.simulated || (body.mode !== "email" && !simulator)) {
        throw new Fault(
          "blocked",
          "This channel's carrier is not the simulator, so nobody is simulated on it",
        );
      }
      const { mode, from, to } = body;
      const known = await db
        .selectFrom("channel_targets")
        .select("id")
        .where("channel_id", "=", channel.id)
        .where("sub_organization_id", "=", caller.sub_organization_id)
        .where("target", "=", to)
        .where("target_mode", "=", mode)
        .executeTakeFirst();
      if (!known) throw new Fault("refused", `No agent is connected with ${to} for ${mode} on this channel`);
      await db.transaction().execute((tx) =>
        api.audit(tx, caller, {
          action: "create",
          resource: "simulated_contacts",
          resource_id: channel.id,
          after: { mode, from, to },
        }),
      );
      // The person's own doings take as long as they take.
      begin(channel.id, body).catch((error) => {
        log.warn({ err: error, channel_id: channel.id, mode }, "a simulated person could not begin");
      });
      return { mode, from, to };
    },
  );
}
