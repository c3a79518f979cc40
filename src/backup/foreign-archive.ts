import { Fault } from "../base/errors.ts";

/** The file that is to be restored can't be: it is none of ours, of a newer version, cut off or damaged. */
export class ArchiveFault extends Fault {
  constructor(message: string) {
    super("refused", message);
  }
}

const isAge =
  "It is encrypted with age. Decrypt it first: age -d -i key.txt parley.backup.age | ./parley restore -";
const isDump = "It is a dump of PostgreSQL. Its own programs read it: pg_restore or psql.";

/** What files begin with that operators take for backups, and what to do with each. */
const BEGINNINGS: [begins: string, what: string][] = [
  ["age-encryption.org/", isAge],
  ["-----BEGIN AGE ", isAge],
  [
    "-----BEGIN PGP ",
    "It is encrypted with PGP. Decrypt it first: gpg -d parley.backup.asc | ./parley restore -",
  ],
  ["PK\x03\x04", "It is a ZIP archive. An export of an organization is for reading, and can't be restored."],
  ["PGDMP", isDump],
  ["--\n-- PostgreSQL database ", isDump],
  [
    "\x1f\x8b",
    "It is compressed with gzip. Unpack it first: gunzip -c parley.backup.gz | ./parley restore -",
  ],
  [
    "\x28\xb5\x2f\xfd",
    "It is compressed with Zstandard. Unpack it first: zstd -dc parley.backup.zst | ./parley restore -",
  ],
];

/** `beginning`: its first bytes, each as one character. */
export function notOurs(beginning: string): ArchiveFault {
  const [, known] = BEGINNINGS.find(([begins]) => beginning.startsWith(begins)) ?? [];
  const what = beginning === "" ? "It is empty." : known;
  return new ArchiveFault(`This is not a backup of Parley.${what ? ` ${what}` : ""}`);
}
