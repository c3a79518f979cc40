import { type BucketSettings, readBucket } from "./bucket.ts";
import type { Setting, SettingReader } from "./setting-reader.ts";

/** Where everything is kept. */
export type StorageConfig = {
  data_dir: string;
  database_url: string | null;
  /** Connections to it that this process opens. */
  connections: { writing: number; reading: number; reading_timeout_ms: number };
};

export type StorageSecrets = {
  /** Where finished recordings are moved; null: they stay on disk. */
  recordings_bucket: BucketSettings | null;
};

export const STORAGE_SETTINGS: Setting[] = [
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
      "Connections to PostgreSQL that each process uses for conversations, calls, webhooks, jobs and changes, 3 to 500. With DATABASE_READING_CONNECTIONS, and times the processes, they have to stay below the server's max_connections.",
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
];

/** As other clients of PostgreSQL allow: `//one:5432,other:5432/`, or `?host=one,other`. */
const SEVERAL_HOSTS = /^postgres(ql)?:\/\/([^/?#]*@)?([^/?#@]*,[^/?#@]*([/?#]|$)|.*[?&]host=[^&#]*,)/;

/** As other clients write a Unix socket: `//user:password@/database?host=/run/postgresql`. */
const NO_HOST = /^(postgres(?:ql)?:\/\/[^/?#]*@)(\/[^?#]*\?(?:[^#]*&)?host=)/;

function databaseUrl({ given, url, faults }: SettingReader): string | null {
  const text = given("DATABASE_URL") ?? "";
  if (!SEVERAL_HOSTS.test(text))
    // A URL needs a host; the parameter takes precedence over it.
    return url("DATABASE_URL", ["postgres:", "postgresql:"], text.replace(NO_HOST, "$1localhost$2"));
  faults.push(
    "DATABASE_URL names several servers, and Parley connects to one. Give it one name, which after a failover leads to the server that accepts writes.",
  );
  return null;
}

export function readStorage(read: SettingReader): StorageConfig {
  const { given, wholeNumber, faults } = read;
  const data_dir = given("DATA_DIR") ?? "./data";
  if (data_dir.startsWith("~")) {
    faults.push(`DATA_DIR is "${data_dir}"; write the whole path, since only a shell knows what ~ is.`);
  }
  return {
    data_dir,
    database_url: databaseUrl(read),
    connections: {
      // Two of them do nothing but listen for jobs.
      writing: wholeNumber("DATABASE_CONNECTIONS", 14, [3, 500]),
      reading: wholeNumber("DATABASE_READING_CONNECTIONS", 6, [2, 500]),
      reading_timeout_ms: wholeNumber("DATABASE_READING_TIMEOUT", 15, [1, 600]) * 1000,
    },
  };
}

export const readStorageSecrets = (read: SettingReader): StorageSecrets => ({
  recordings_bucket: readBucket(read),
});
