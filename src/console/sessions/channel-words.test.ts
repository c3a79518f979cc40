import { expect, test } from "vitest";
import { carrierId, channelWords } from "./channel-words.ts";

test.each([
  ["voice_twilio_v1", true, "call, simulated"],
  ["email_v1", true, "e-mail, simulated"],
  ["voice_twilio_v1", false, "call"],
  ["voice_telnyx_v1", false, "call"],
  ["voice_browser_v1", false, "web call"],
  ["web_chat_v1", undefined, "web chat"],
  ["fax_v2", null, "fax"],
])("a session of %s, simulated: %s, is shown as %s", (channel_manager_type, simulated, expected) => {
  expect(channelWords({ channel_manager_type, simulated })).toBe(expected);
});

test.each([
  ["voice_twilio_v1", "CA01"],
  ["email_v1", "CA01"],
  ["web_chat_v1", null],
  ["console_test_v1", null],
  ["voice_browser_v1", null],
])("of %s the carrier's id is %s: a chat's own id is not called one", (channel_manager_type, expected) => {
  expect(carrierId({ channel_manager_type, channel_manager_sid: "CA01" })).toBe(expected);
});
