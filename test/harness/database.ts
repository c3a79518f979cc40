import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { inject } from "vitest";
import { inDatabase, runAsAdmin } from "./postgres.ts";

type TestDatabase = { config: pg.ClientConfig; name: string; drop(): Promise<void> };

/** A migrated, empty database for one test file. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { admin, template, fault } = inject("testServer");
  if (fault !== null) throw new Error(fault);
  const name = `parley_test_${randomBytes(6).toString("hex")}`;
  await copyTemplate(admin, name, template);
  return {
    config: inDatabase(admin, name),
    name,
    drop: () => runAsAdmin(admin, `drop database ${name} with (force)`),
  };
}

/**
 * As files, which takes half the time of a copy that is written to the log page by page. 55006 object_in_use: another
 * test file copies the template at this moment.
 */
async function copyTemplate(admin: pg.ClientConfig, name: string, template: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await runAsAdmin(admin, `create database ${name} template ${template} strategy file_copy`);
    } catch (error) {
      if ((error as { code?: string }).code !== "55006" || attempt === 50) throw error;
      await sleep(20 * attempt);
    }
  }
}
