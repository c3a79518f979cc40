/** The words of the mail servers in use, to whomever a mail is. */
const OF_SENDER = /\b(?:relay(?:ing)?|client host|sender address|helo command)\b/i;

/**
 * What a mail server's refusal for good is about, by its enhanced code (RFC 3463) and its words: who sends (5.1.7, 5.1.8,
 * "relay access denied"), this mail (5.7.x, a rule of the server), or the person's address. A server that has no such code
 * says it by what it refused (`isRecipient`).
 */
export function refusalIsAbout(said: string, isRecipient: boolean): "sender" | "mail" | "address" {
  const code = /\b5\.(\d{1,3})\.(\d{1,3})\b/.exec(said);
  const [subject, detail] = [Number(code?.[1]), Number(code?.[2])];
  if (subject === 1) return detail === 7 || detail === 8 ? "sender" : "address";
  // An address may be called anything.
  if (OF_SENDER.test(said.replace(/\S+@\S+/g, ""))) return "sender";
  return isRecipient && subject !== 7 ? "address" : "mail";
}
