import { generate, PostgresDialect } from "kysely-codegen";
import type { Db } from "../src/db/database.ts";

/** What `pg` gives back under the type parsers of src/db/database.ts. */
const TYPE_MAPPING = { timestamptz: "string", int8: "number", json: "unknown" };

/** The text of src/db/types.ts for a migrated database. */
export async function databaseTypes(db: Db): Promise<string> {
  return generate({
    db,
    dialect: new PostgresDialect(),
    excludePattern: "(schema_migrations|graphile_worker.*)",
    outFile: null,
    typeMapping: TYPE_MAPPING,
  });
}
