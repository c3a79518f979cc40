import { adapterSuite } from "../../harness/carrier-adapter.ts";
import { sendgridAdapter, smtpAdapter } from "../../harness/mail-adapters.ts";
import { telnyxAdapter } from "../../harness/telnyx-adapter.ts";
import { twilioAdapter } from "../../harness/twilio-adapter.ts";

/** Every adapter there is; a new one is a line here. */
adapterSuite("Twilio voice", { is_asked: true }, () => twilioAdapter("voice"));
adapterSuite("Twilio sms", { is_asked: true }, () => twilioAdapter("sms"));
adapterSuite("Twilio whatsapp", { is_asked: true }, () => twilioAdapter("whatsapp"));
adapterSuite("Telnyx voice", { is_asked: true }, () => telnyxAdapter("voice"));
adapterSuite("Telnyx sms", { is_asked: true }, () => telnyxAdapter("sms"));
adapterSuite("SendGrid", { is_asked: false }, sendgridAdapter);
adapterSuite("SMTP", { is_asked: false }, smtpAdapter);
