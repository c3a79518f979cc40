import type { Log } from "../base/log.ts";

/**
 * One plain mail. Whatever sends it throws when it can't. A `key` names a mail that may be sent again after a fault: mail
 * programs show what came twice under one name once.
 */
export type WelcomeMail = { to: string; subject: string; text: string; key?: string };
/** Handed in by the composition root; null where no way to send mail is configured. */
export type SendMail = ((mail: WelcomeMail) => Promise<void>) | null;

type Invitation = {
  to: string;
  first_name: string | null;
  organization: string;
  invited_by: string;
  sign_in_page: string;
  /** Works once and sets the password; null for people who sign in another way. */
  link: { sign_in_link: string; expires_at: string } | null;
  /** The organization signs in by its identity provider. */
  by_provider: boolean;
};

export function welcomeMail(invitation: Invitation): WelcomeMail {
  const { to, invited_by, sign_in_page, link, by_provider } = invitation;
  const first_name = plainName(invitation.first_name ?? "");
  const organization = plainName(invitation.organization) ?? "an organization";
  const paragraphs = [
    first_name ? `Hello ${first_name},` : "Hello,",
    `${invited_by} has added you to ${organization} on Parley.`,
    ...(link
      ? [
          `Choose a password here (this link works once, until ${link.expires_at}):\n${link.sign_in_link}`,
          `From then on you sign in at ${sign_in_page}`,
        ]
      : [`You sign in at ${sign_in_page}`]),
    ...(by_provider ? ["Enter your e-mail address there and choose “Sign in with your organization”."] : []),
  ];
  return { to, subject: "You have been invited to Parley", text: `${paragraphs.join("\n\n")}\n` };
}

/**
 * A mail of ours must not carry a stranger's message: a name stands in one line of 60 characters and holds no address of a
 * page. null where it does.
 */
function plainName(name: string): string | null {
  const line = name.replace(/[\p{C}\s]+/gu, " ").trim();
  if (line === "" || [...line].length > 60 || /:\/\/|\w\.\p{L}{2,}|@/u.test(line)) return null;
  return line;
}

/** Whether it was sent; a mail server that is down must not undo what the mail tells of. */
export async function trySend(send: NonNullable<SendMail>, mail: WelcomeMail, log: Log): Promise<boolean> {
  try {
    await send(mail);
    return true;
  } catch (error) {
    log.warn({ err: error }, "could not send a welcome mail");
    return false;
  }
}
