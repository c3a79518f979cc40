/** What kind of contact a session is, for a person; a kind that is not known is shown as it is called. */
const WORDS: Record<string, string> = {
  console_test_v1: "test chat",
  web_chat_v1: "web chat",
  sms_twilio_v1: "SMS",
  whatsapp_v1: "WhatsApp",
  email_v1: "e-mail",
};

export function channelWords(type: string | null | undefined): string {
  if (!type) return "–";
  return WORDS[type] ?? type.replace(/_v\d+$/, "").replaceAll("_", " ");
}
