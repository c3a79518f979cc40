import { z } from "zod";
import type { Api } from "../api/server.ts";
import type { Db } from "../db/database.ts";
import { STORAGE_KINDS, type Storage, storedOf } from "./storage.ts";

const StorageUse = z
  .object({
    used_bytes: z.int(),
    limit_bytes: z.int(),
    kinds: z.array(z.object({ kind: z.enum(STORAGE_KINDS), bytes: z.int() })),
  })
  .meta({ id: "StorageUse" });

export function storageRoutes(api: Api, { db, storage }: { db: Db; storage: Storage }): void {
  api.get(
    "/api/v1/organizations/storage",
    {
      summary: "Get your organization's storage use and limit",
      description:
        "Recordings of calls, uploads, files of mails, the texts of data sources, and exports until they expire.",
      tag: "organizations",
      permission: "organizations_read",
      response: StorageUse,
    },
    async ({ caller }) => ({
      ...(await storedOf(db, caller.sub_organization_id)),
      limit_bytes: await storage.limitBytes(caller.sub_organization_id),
    }),
  );
}
