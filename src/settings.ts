/** One setting: its name in the environment, what it means to a person, and what it is when nothing is said. */
export type Setting = { name: string; example: string; about: string };

export const SETTINGS: Setting[] = [
  { name: "PORT", example: "8080", about: "The port the program listens on." },
  {
    name: "HOST",
    example: "127.0.0.1",
    about: "The address it listens on; 0.0.0.0 for every network of the machine.",
  },
  {
    name: "DATA_DIR",
    example: "./data",
    about: "Where the embedded database, the generated key and recordings live.",
  },
  {
    name: "DATABASE_URL",
    example: "",
    about:
      "An outside PostgreSQL (15 or newer) in place of the embedded one: postgres://user:password@host/database",
  },
  {
    name: "DATABASE_CONNECTIONS",
    example: "14",
    about:
      "Connections to PostgreSQL that each process uses for conversations, calls, webhooks, jobs and changes, 2 to 500. With DATABASE_READING_CONNECTIONS, and times the processes, they have to stay below the server's max_connections.",
  },
  {
    name: "DATABASE_READING_CONNECTIONS",
    example: "6",
    about:
      "Connections beside these for lists, searches, reports and exports, 2 to 500. One organization takes half of them at the most.",
  },
  {
    name: "DATABASE_READING_TIMEOUT",
    example: "15",
    about:
      "Seconds that a list, search or report may take, 1 to 600. One that would take longer is refused with advice.",
  },
  {
    name: "PUBLIC_URL",
    example: "http://127.0.0.1:8080",
    about: "How people and carriers reach this program from outside.",
  },
  {
    name: "SECRET_KEY",
    example: "",
    about:
      "Encrypts secrets at rest and signs links; 32 characters or more. Generated into DATA_DIR when empty. Every machine of a cluster needs the same one.",
  },
  {
    name: "SECRET_KEY_FILE",
    example: "",
    about: "A file that holds the secret key, in place of SECRET_KEY.",
  },
  {
    name: "SECRET_KEY_COMMAND",
    example: "",
    about:
      "A program with its arguments, separated by blanks, that prints the secret key, in place of SECRET_KEY. Run at each start, without a shell.",
  },
  {
    name: "SECRET_KEY_OLD",
    example: "",
    about:
      "Earlier secret keys, separated by commas: what they sealed is still read, until `./parley rotate-keys` has sealed it anew.",
  },
  {
    name: "BOOTSTRAP_API_TOKEN",
    example: "",
    about: "The first API token, 32 characters or more. Generated and printed once when empty.",
  },
  {
    name: "BOOTSTRAP_ADMIN_EMAIL",
    example: "admin@localhost",
    about: "The e-mail address of the first administrator.",
  },
  {
    name: "ORGANIZATION_CREATION",
    example: "operator",
    about:
      "Who may create organizations: operator (administrators of the first one), or everyone who may change their own.",
  },
  {
    name: "TRUST_PROXY",
    example: "0",
    about:
      "How many proxies stand in front of this program; the address they name in X-Forwarded-For is then a caller's.",
  },
  {
    name: "METRICS",
    example: "private",
    about:
      "Who may read /metrics: private (this machine and private networks, not through a proxy), everyone, or off.",
  },
  {
    name: "DOCS",
    example: "everyone",
    about: "Who may read /docs and /openapi.json: everyone, private, or off.",
  },
  {
    name: "INTERNAL_LISTEN",
    example: "127.0.0.1:9090",
    about:
      "An address of their own for /metrics and /docs, which are then answered nowhere else. Empty: none.",
  },
  {
    name: "RUN_AS_ROOT",
    example: "off",
    about:
      "Whether a program that root started stays root. off: after binding its ports it runs as the owner of DATA_DIR, else as postgres or nobody.",
  },
  {
    name: "API_KEY_HEADERS",
    example: "",
    about: "More header names, comma-separated, that may carry an API token beside Service-API-Key.",
  },
  {
    name: "EGRESS_ALLOW",
    example: "",
    about:
      "Hosts and networks, comma-separated, that tools and webhooks may reach although they are private: tools.internal:8443, *.corp.example, 10.1.0.0/16",
  },
  {
    name: "OPENAI_API_KEY",
    example: "",
    about: "Key for OpenAI, or for any server that speaks its API (set the URL then).",
  },
  { name: "OPENAI_BASE_URL", example: "https://api.openai.com/v1", about: "Where the OpenAI API is." },
  { name: "AZURE_OPENAI_API_KEY", example: "", about: "Key for Azure OpenAI." },
  {
    name: "AZURE_OPENAI_BASE_URL",
    example: "https://RESOURCE.openai.azure.com/openai",
    about: "Where the Azure OpenAI resource is.",
  },
  { name: "ANTHROPIC_API_KEY", example: "", about: "Key for Anthropic." },
  {
    name: "ANTHROPIC_BASE_URL",
    example: "https://api.anthropic.com/v1",
    about: "Where the Anthropic API is.",
  },
  { name: "GOOGLE_API_KEY", example: "", about: "Key for Google's Gemini API." },
  {
    name: "GOOGLE_BASE_URL",
    example: "https://generativelanguage.googleapis.com/v1beta",
    about: "Where the Gemini API is.",
  },
  {
    name: "LLM_MODELS",
    example: "",
    about:
      "Models beside the known ones that prompts may choose, comma-separated, each after its provider: openai/llama-3.3-70b, azure_openai/our-deployment",
  },
  {
    name: "LLM_FIRST_TOKEN_TIMEOUT_S",
    example: "10",
    about:
      "Seconds that a person waits for a model to begin its answer, before another try. Reasoning models may need more.",
  },
  {
    name: "LLM_TOKEN_TIMEOUT_S",
    example: "10",
    about: "Seconds that a model may fall silent in the middle of an answer, before another try.",
  },
  {
    name: "LLM_FALLBACK",
    example: "",
    about:
      "The model that is asked for the other try, after its provider: anthropic/claude-haiku-4-5. It needs that provider's key. Empty: the same model again.",
  },
  {
    name: "EMBEDDING_MODEL",
    example: "",
    about:
      "A model that finds parts of data sources by their meaning, after its provider: openai/text-embedding-3-small, google/gemini-embedding-001, azure_openai/our-deployment. Texts and questions are sent there, with the key that models of that provider use. Empty: searches go by words.",
  },
  {
    name: "CRAWL_PAUSE_MS",
    example: "1000",
    about:
      "Milliseconds between two requests to a web site that is read into a data source; a site that asks for more in robots.txt gets it, up to 30 seconds. Less only for sites of your own.",
  },
  {
    name: "VOICE_HEARING",
    example: "deepgram,assemblyai,offline",
    about:
      "What listens on calls whose audio Parley handles, in order: the first that has a key and knows the language; the next where it fails. deepgram, assemblyai, openai, offline.",
  },
  {
    name: "VOICE_SPEAKING",
    example: "elevenlabs,cartesia,deepgram,offline",
    about:
      "What speaks there, after the service of the voice that the agent's language names. elevenlabs, cartesia, deepgram, openai, google, offline.",
  },
  {
    name: "SPEECH_MODELS",
    example: "",
    about:
      "Folders of sherpa-onnx models that hear or speak on this machine, each with its language: en=/opt/models/sherpa-onnx-whisper-base,en=/opt/models/vits-piper-en_US-amy-low. They replace the offline stand-ins. A model that can't be loaded keeps Parley from starting.",
  },
  {
    name: "SPEECH_PRICES",
    example: "",
    about:
      "What hearing and speaking on calls costs you, where it is not the list price or none is known: deepgram.hearing=0.0065,deepgram.speaking=0.03. US dollars, of hearing for a minute, of speaking for 1,000 characters. It counts for calls from then on.",
  },
  {
    name: "ASSEMBLYAI_API_KEY",
    example: "",
    about: "Key for AssemblyAI, which listens on calls.",
  },
  {
    name: "ASSEMBLYAI_BASE_URL",
    example: "https://streaming.assemblyai.com",
    about: "Where its streaming API is; in the EU https://streaming.eu.assemblyai.com.",
  },
  {
    name: "ELEVENLABS_API_KEY",
    example: "",
    about: "Key for ElevenLabs, which speaks on calls and in samples of its voices.",
  },
  {
    name: "ELEVENLABS_BASE_URL",
    example: "https://api.elevenlabs.io",
    about: "Where the ElevenLabs API is.",
  },
  {
    name: "CARTESIA_API_KEY",
    example: "",
    about: "Key for Cartesia, which speaks on calls and in samples of its voices.",
  },
  { name: "CARTESIA_BASE_URL", example: "https://api.cartesia.ai", about: "Where the Cartesia API is." },
  {
    name: "GOOGLE_SPEECH_API_KEY",
    example: "",
    about: "Key for Google's Text-to-Speech API; GOOGLE_API_KEY's when empty.",
  },
  {
    name: "GOOGLE_SPEECH_BASE_URL",
    example: "https://texttospeech.googleapis.com",
    about: "Where that API is.",
  },
  {
    name: "DEEPGRAM_API_KEY",
    example: "",
    about: "Key for Deepgram, which listens and speaks on calls, and transcribes recordings.",
  },
  { name: "DEEPGRAM_BASE_URL", example: "https://api.deepgram.com", about: "Where the Deepgram API is." },
  {
    name: "VOICE_CALLS",
    example: "50",
    about:
      "The most calls whose audio one process hears and speaks at once; further ones are busy. Empty: 25 for each core, at most 100; offline 6, at most 12.",
  },
  {
    name: "LINES_PER_NUMBER",
    example: "20",
    about: "Attempts of campaigns that may run at once from one number or address.",
  },
  {
    name: "LINES",
    example: "100",
    about: "Calls that an organization may have at once, both ways; further attempts of campaigns wait.",
  },
  {
    name: "LINES_KEPT_PERCENT",
    example: "30",
    about: "How many of these lines, in percent, campaigns leave to people who call.",
  },
  {
    name: "OUTREACH_MOST_PER_PERSON",
    example: "",
    about:
      "How often campaigns of a sub-organization may try one number or address, retries too: 3/24h, 5/7d. Empty: as often as each campaign says.",
  },
  {
    name: "OUTREACH_COUNTRIES",
    example: "",
    about:
      "Countries, by two letters or calling code, whose numbers campaigns and transfers may reach: US,CA,+44. Empty: every country.",
  },
  {
    name: "OUTREACH_ALLOW",
    example: "",
    about:
      "Beginnings of numbers that they may reach all the same: +88216,+44845. Without it no premium-rate, shared-cost or satellite number is called or written to.",
  },
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
    name: "S3_ENDPOINT",
    example: "",
    about:
      "A store that speaks S3 (AWS, Cloudflare R2, MinIO), to which finished recordings of calls are moved: https://s3.eu-central-1.amazonaws.com. Needs all five settings. Empty: they stay in DATA_DIR.",
  },
  { name: "S3_REGION", example: "", about: "The store's region; auto for R2, us-east-1 for most MinIO." },
  {
    name: "S3_BUCKET",
    example: "",
    about: "The bucket, of this installation alone, or a folder in it: calls/parley.",
  },
  { name: "S3_ACCESS_KEY_ID", example: "", about: "A key that may read, write and delete objects there." },
  { name: "S3_SECRET_ACCESS_KEY", example: "", about: "The secret of that key." },
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
  {
    name: "TWILIO_ACCOUNT_SID",
    example: "",
    about:
      "The operator's Twilio account, for system channels without credentials of their own. Empty: calls and texts go to the built-in carrier simulator and reach nobody.",
  },
  { name: "TWILIO_AUTH_TOKEN", example: "", about: "The auth token of that account." },
  {
    name: "TENANTS_BUY_NUMBERS",
    example: "off",
    about:
      "Whether organizations may buy numbers on that account, at the operator's cost: on or off. Off: only whoever operates the installation.",
  },
  {
    name: "TELNYX_BASE_URL",
    example: "https://api.telnyx.com/v2",
    about: "Where Telnyx's API is, for SIP channels that name Telnyx as their carrier.",
  },
  {
    name: "TWILIO_BASE_URL",
    example: "",
    about: "Another address for all of Twilio's APIs, such as a test double's.",
  },
  {
    name: "SIMULATOR_SCENARIO",
    example: "./people.json",
    about: "A file that says how people behave whom the carrier simulator plays (docs/simulator.md).",
  },
  {
    name: "SIMULATOR_SPEED",
    example: "1",
    about: "How many times as fast as life the people of the carrier simulator are, 0.1 to 10000.",
  },
  {
    name: "SMTP_URL",
    example: "",
    about:
      "The mail server that invitations and system e-mail channels send by: smtp://user:password@mail.example.com:587, or smtps:// for TLS from the first byte. Empty: no invitations, and e-mail channels without credentials of their own write to the built-in mail simulator, which reaches nobody.",
  },
  {
    name: "MAIL_FROM",
    example: "parley@example.com",
    about: "The sender of the program's own mails; the user of SMTP_URL where that is an address.",
  },
  {
    name: "MAIL_PORT",
    example: "",
    about:
      "The port of the built-in SMTP server that takes mails to agents in, 25 where other mail servers are to find it. Empty: none.",
  },
  {
    name: "MAIL_CHECK_SENDERS",
    example: "on",
    about:
      "Whether that server looks up who may send for whom (SPF, DKIM): on, or off where it stands behind a mail server that hands mails on, and is trusted to have refused forged ones.",
  },
  {
    name: "MAIL_TLS_CERT",
    example: "",
    about: "File of that server's certificate (PEM), for STARTTLS. With MAIL_TLS_KEY.",
  },
  { name: "MAIL_TLS_KEY", example: "", about: "File of that certificate's key (PEM)." },
  {
    name: "OTEL_EXPORTER_OTLP_ENDPOINT",
    example: "",
    about:
      "Address of an OpenTelemetry collector, such as http://127.0.0.1:4318; spans of conversations go to its /v1/traces. Empty: none are sent.",
  },
  {
    name: "OTEL_EXPORTER_OTLP_HEADERS",
    example: "",
    about: "Headers for the collector, such as a key: name=value,name=value",
  },
  {
    name: "OTEL_SERVICE_NAME",
    example: "parley",
    about: "What this program is called in the tracing system.",
  },
  {
    name: "OTEL_CONTENT",
    example: "off",
    about: "on: spans hold what was said, and arguments and results of tools. off: they don't.",
  },
  { name: "LOG_LEVEL", example: "info", about: "trace, debug, info, warn, error or silent." },
  {
    name: "LOG_FORMAT",
    example: "json",
    about: "json (a line for programs) or readable. Left out: readable on a terminal, json elsewhere.",
  },
];

/** The text of `.env.example`; a test keeps the committed file equal to it. */
export function envExample(): string {
  const lines = SETTINGS.map(({ name, example, about }) => `# ${about}\n#${name}=${example}\n`);
  return `# Everything here is optional: with an empty environment Parley starts and works offline.\n\n${lines.join("\n")}`;
}
