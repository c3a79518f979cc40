import type { Setting, SettingReader } from "./setting-reader.ts";

/** How much one organization, one address or this process may take. */
export type LimitConfig = {
  /** Calls of a minute. */
  call_limits: { per_token: number; per_tenant: number; changes_per_tenant: number };
  /** Of one sub-organization in a day (UTC), in all processes. */
  model_limits: { tokens_per_day: number; usd_per_day: number };
  /** New visitors of web chat of one sub-organization, in all processes. */
  visitors_per_minute: number;
  /** What one sub-organization may keep, in units of 10⁹ bytes. */
  storage_gb: number;
  /** WebSockets open at once from one address. */
  sockets_per_address: number;
  /** Turns of web chats that this process runs at once. */
  chat_concurrency: number;
  /** Turns of conversations by text and e-mail that this process runs at once. */
  dialogue_concurrency: number;
  /** Insight executions run at once by this process. */
  insight_concurrency: number;
};

export const LIMIT_SETTINGS: Setting[] = [
  {
    name: "API_CALLS_PER_TOKEN",
    example: "30000",
    about: "API calls that one token, or one person who is signed in, may make in a minute, in each process.",
  },
  {
    name: "API_CALLS_PER_ORGANIZATION",
    example: "60000",
    about: "API calls that one sub-organization may make in a minute, in each process.",
  },
  {
    name: "API_CHANGES_PER_ORGANIZATION",
    example: "20000",
    about: "How many of these may create or change something.",
  },
  {
    name: "MODEL_TOKENS_PER_DAY",
    example: "1000000000",
    about:
      "Tokens, asked and answered, that models may take for one sub-organization in a day (UTC), in all processes together.",
  },
  {
    name: "MODEL_USD_PER_DAY",
    example: "5000",
    about: "The same in US dollars, at list prices; models whose price is not known add nothing.",
  },
  {
    name: "VISITORS_PER_MINUTE",
    example: "3000",
    about:
      "New web chats that may be opened with one sub-organization in a minute, in all processes together.",
  },
  {
    name: "STORAGE_GB_PER_ORGANIZATION",
    example: "1000",
    about:
      "Gigabytes that one sub-organization may keep: recordings of calls, uploads, files of mails, data sources and exports. Beyond it uploads, data sources and exports answer 402.",
  },
  {
    name: "SOCKETS_PER_ADDRESS",
    example: "1000",
    about:
      "WebSockets (chats, calls of a carrier) that may be open at once from one IPv4 address or IPv6 /64, in each process.",
  },
  {
    name: "CHAT_CONCURRENCY",
    example: "1024",
    about:
      "Messages of web chats that each process answers at once. One sub-organization takes half of the places at the most; its other visitors wait in order.",
  },
  {
    name: "DIALOGUE_CONCURRENCY",
    example: "32",
    about:
      "Conversations by text and e-mail that each process answers at once, 2 to 512. One sub-organization takes half of the places at the most.",
  },
  {
    name: "INSIGHT_CONCURRENCY",
    example: "32",
    about: "Sessions and recordings that are analysed at once by this program, 1 to 512.",
  },
];

export const readLimits = ({ wholeNumber }: SettingReader): LimitConfig => ({
  call_limits: {
    per_token: wholeNumber("API_CALLS_PER_TOKEN", 30_000, [1, 10_000_000]),
    per_tenant: wholeNumber("API_CALLS_PER_ORGANIZATION", 60_000, [1, 10_000_000]),
    changes_per_tenant: wholeNumber("API_CHANGES_PER_ORGANIZATION", 20_000, [1, 10_000_000]),
  },
  model_limits: {
    tokens_per_day: wholeNumber("MODEL_TOKENS_PER_DAY", 1_000_000_000, [1, 1_000_000_000_000]),
    usd_per_day: wholeNumber("MODEL_USD_PER_DAY", 5_000, [1, 1_000_000]),
  },
  visitors_per_minute: wholeNumber("VISITORS_PER_MINUTE", 3_000, [1, 1_000_000]),
  storage_gb: wholeNumber("STORAGE_GB_PER_ORGANIZATION", 1000, [1, 1_000_000]),
  sockets_per_address: wholeNumber("SOCKETS_PER_ADDRESS", 1000, [1, 1_000_000]),
  chat_concurrency: wholeNumber("CHAT_CONCURRENCY", 1024, [2, 100_000]),
  dialogue_concurrency: wholeNumber("DIALOGUE_CONCURRENCY", 32, [2, 512]),
  insight_concurrency: wholeNumber("INSIGHT_CONCURRENCY", 32, [1, 512]),
});
