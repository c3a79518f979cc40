import { afterAll, expect } from "vitest";
import { closeAfterFile } from "./after-file.ts";
import { takeWrongClaims, watchClaims } from "./claimed-columns.ts";
import "./seed.ts";
import { turnUnordered } from "./unordered.ts";

// Runs anew for each test file, also where several files share one process and its modules.
afterAll(closeAfterFile);

// Statements written by hand answer what their types claim, in whatever test they run.
watchClaims();
afterAll(() => expect(takeWrongClaims()).toEqual([]));

// Rows that come in no particular order come in none that a test or the program could get used to.
turnUnordered();
