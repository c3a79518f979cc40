import { z } from "zod";
import type { SendMail } from "../accounts/welcome-mail.ts";
import type { Log } from "../base/log.ts";
import { CarrierFault } from "../channels/carrier.ts";
import type { Db } from "../db/database.ts";
import { handle, type Job, type JobHandler } from "../jobs/define-job.ts";

type AlertNotice = { alert_change_id: number; user_id: number };

/** One job per person, so that a mail that can't be sent delays no other and nobody gets two. */
export const mailAlert: Job<AlertNotice> = {
  name: "mail-alert",
  payload: z.object({ alert_change_id: z.number(), user_id: z.number() }),
  max_attempts: 12,
};

type Deps = { db: Db; log: Log; publicUrl: string; sendMail: SendMail };

const SUBJECTS = { firing: "Alert", reminded: "Still firing", resolved: "Resolved" } as const;

/** Without a mail server, only the console and webhooks tell of it. */
export const mailAlertJob = ({ db, log, publicUrl, sendMail }: Deps): JobHandler =>
  handle(mailAlert, async (notice) => {
    if (!sendMail) return;
    const told = await db
      .selectFrom("alert_changes as c")
      .innerJoin("alert_rules as r", "r.id", "c.alert_rule_id")
      .innerJoin("users as u", "u.sub_organization_id", "c.sub_organization_id")
      .select(["u.email", "u.first_name", "r.id", "r.name", "c.state", "c.at", "c.description"])
      .where("c.id", "=", notice.alert_change_id)
      .where("u.id", "=", notice.user_id)
      .where("u.deleted_at", "is", null)
      .executeTakeFirst();
    // The person or the rule is gone.
    if (!told) return;
    const paragraphs = [
      told.first_name ? `Hello ${told.first_name},` : "Hello,",
      told.state === "resolved"
        ? `The alert "${told.name}" is resolved.`
        : `The alert "${told.name}" is firing.`,
      told.description,
      `${publicUrl}/console/alerts/${told.id}`,
    ];
    try {
      await sendMail({
        to: told.email,
        subject: `${SUBJECTS[told.state]}: ${told.name}`,
        text: `${paragraphs.join("\n\n")}\n`,
        key: `alert-${notice.alert_change_id}-${notice.user_id}`,
      });
    } catch (error) {
      // Not retried: a refused mail would be refused again, and one of unknown fate may have been sent.
      if (!(error instanceof CarrierFault) || error.fate === "not-sent") throw error;
      log.warn({ err: error, ...notice }, "could not mail an alert");
    }
  });
