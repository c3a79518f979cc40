import { expect, test } from "vitest";
import { channelWords } from "./channel-words.ts";

test.each([
  ["voice_twilio_v1", "CA51512e51aaaaaaaaaaaaaaaaaaaaaaaa", "call, simulated"],
  ["sms_twilio_v1", "SM51512e51aaaaaaaaaaaaaaaaaaaaaaaa", "SMS, simulated"],
  ["voice_twilio_v1", "CAaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "call"],
  ["web_chat_v1", "anything", "web chat"],
  ["fax_v2", null, "fax"],
])("a session of %s with the id %s is shown as %s", (channel_manager_type, channel_manager_sid, expected) => {
  expect(channelWords({ channel_manager_type, channel_manager_sid })).toBe(expected);
});
