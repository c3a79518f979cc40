import type { ModelMessage, OfferedTool } from "./model.ts";

/*
 * How many tokens a request comes to, estimated without any provider's tokenizer and on the safe side: English prose comes
 * out at about one and a half times what it really is, JSON and Chinese at a little more than they are. What is estimated to
 * fit then fits.
 */

/** Roles, separators and what else a provider puts around a message. */
const AROUND_MESSAGE = 8;
const AROUND_TOOL = 16;

/** Tokens a character, by what it is; no common tokenizer takes more for text that people write. */
const LETTER = 0.4;
const SIGN = 0.7;
const BEYOND_ASCII = 1;
const BEYOND_ALPHABETS = 1.5;

export function estimateTokens(text: string): number {
  let tokens = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0x800) tokens += BEYOND_ALPHABETS;
    else if (code >= 0x80) tokens += BEYOND_ASCII;
    else if (code === 32 || (code >= 97 && code <= 122) || (code >= 65 && code <= 90)) tokens += LETTER;
    else tokens += SIGN;
  }
  return Math.ceil(tokens);
}

export function messageTokens(message: ModelMessage): number {
  switch (message.role) {
    case "system":
    case "user":
      return AROUND_MESSAGE + estimateTokens(message.text);
    case "tool":
      return AROUND_MESSAGE + estimateTokens(message.tool_name) + estimateTokens(printed(message.result));
    case "assistant": {
      const calls = message.calls.map(
        // What a provider wants back with a call is sent too.
        (call) =>
          AROUND_MESSAGE +
          estimateTokens(call.name + printed(call.arguments) + printed(call.provider_data?.data ?? "")),
      );
      return AROUND_MESSAGE + estimateTokens(message.text) + calls.reduce((sum, tokens) => sum + tokens, 0);
    }
  }
}

export const toolTokens = (tools: readonly OfferedTool[]): number =>
  tools.reduce(
    (sum, { name, description, parameters }) =>
      sum + AROUND_TOOL + estimateTokens(name + description + printed(parameters)),
    0,
  );

const printed = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "null");
