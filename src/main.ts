import { existsSync } from "node:fs";
import { VERSION } from "./app.ts";
import { Fault } from "./base/errors.ts";
import { createLog } from "./base/log.ts";
import { chat } from "./commands/chat.ts";
import { doctor } from "./commands/doctor.ts";
import { openPlatform } from "./commands/open-platform.ts";
import { start } from "./commands/start.ts";
import { ConfigFaults, readConfig } from "./config.ts";

const HELP = `Parley ${VERSION}: a self-hosted platform for conversational agents.

  ./parley start                  runs the platform
  ./parley chat <agent> [--json]  talks with an agent in the terminal
  ./parley doctor [--json]        checks ports, database, clock and provider keys
  ./parley migrate                brings the database up to this version, and stops
  ./parley test [file …]          runs all tests, or those named

Settings come from the environment or a file .env; .env.example lists them all.
`;

async function main([command = "help", ...args]: string[]): Promise<number> {
  if (command === "help" || command === "--help" || command === "-h") {
    process.stdout.write(HELP);
    return 0;
  }
  if (command === "version" || command === "--version") {
    process.stdout.write(`${VERSION}\n`);
    return 0;
  }
  if (existsSync(".env")) process.loadEnvFile(".env");
  const { config, secrets } = readConfig(process.env);
  switch (command) {
    case "start":
      return start(config, secrets);
    case "chat":
      return chat(args, config, secrets, process.env.PARLEY_API_TOKEN);
    case "doctor":
      return doctor(config, secrets, args.includes("--json"));
    case "migrate": {
      const platform = await openPlatform(config, secrets, createLog({ level: "warn" }));
      await platform.close();
      process.stdout.write("The database is up to date.\n");
      return 0;
    }
    default:
      process.stderr.write(`parley: there is no command "${command}".\n\n${HELP}`);
      return 2;
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  // Faults are sentences for the person at the terminal; anything else is ours and keeps its stack.
  const known = error instanceof Fault || error instanceof ConfigFaults;
  process.stderr.write(`parley: ${known ? error.message : ((error as Error).stack ?? error)}\n`);
  process.exitCode = 1;
}
