import { afterAll, afterEach } from "vitest";
import { endAllPrograms, endPrograms } from "../commands/program.ts";
import { endServers, removeServers } from "../database/programs.ts";

// What a file started ends with it: files share the process that runs them, and read these modules once.
afterEach(endPrograms);
afterEach(endServers);
afterAll(endAllPrograms);
afterAll(removeServers);
