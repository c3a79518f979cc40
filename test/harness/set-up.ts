import { afterAll } from "vitest";
import { closeAfterFile } from "./after-file.ts";
import "./seed.ts";

// Runs anew for each test file, also where several files share one process and its modules.
afterAll(closeAfterFile);
