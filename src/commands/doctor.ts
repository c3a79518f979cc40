import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import pg from "pg";
import { errorText } from "../base/errors.ts";
import type { Config, LlmProvider, Secrets } from "../config.ts";

/** One thing looked at: fine, or a sentence that says what to do. */
type Finding = { check: string; status: "ok" | "warning" | "problem"; message: string };

/** A cheap call of each provider that answers 200 to a good key: the list of models. */
const KEY_CHECKS: Record<
  LlmProvider,
  { base: string; path: string; headers(key: string): Record<string, string> }
> = {
  openai: {
    base: "https://api.openai.com/v1",
    path: "/models",
    headers: (key) => ({ authorization: `Bearer ${key}` }),
  },
  azure_openai: { base: "", path: "/models?api-version=2024-10-21", headers: (key) => ({ "api-key": key }) },
  anthropic: {
    base: "https://api.anthropic.com/v1",
    path: "/models",
    headers: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
  },
  google: {
    base: "https://generativelanguage.googleapis.com/v1beta",
    path: "/models",
    headers: (key) => ({ "x-goog-api-key": key }),
  },
};

/** Looks at everything a start needs and says how to put right what is not. Resolves with the exit code. */
export async function doctor(config: Config, secrets: Secrets, json: boolean): Promise<number> {
  const findings = [
    checkRuntime(),
    await checkPort(config),
    await checkDatabase(config),
    ...(await checkKeys(config, secrets)),
  ];
  findings.push(checkClock(), checkPublicUrl(config));
  if (json) process.stdout.write(`${JSON.stringify(findings, null, 2)}\n`);
  else {
    const marks = { ok: "ok     ", warning: "warning", problem: "PROBLEM" };
    for (const { check, status, message } of findings) {
      process.stdout.write(`${marks[status]}  ${check.padEnd(14)} ${message}\n`);
    }
  }
  return findings.some((finding) => finding.status === "problem") ? 1 : 0;
}

function checkRuntime(): Finding {
  return {
    check: "runtime",
    status: "ok",
    message: `Node.js ${process.versions.node} on ${process.platform}-${process.arch}`,
  };
}

async function checkPort({ host, port }: Config): Promise<Finding> {
  const answer = await fetch(`http://${host === "0.0.0.0" ? "127.0.0.1" : host}:${port}/healthz`).then(
    (response) => response.json() as Promise<{ version?: string }>,
    () => null,
  );
  if (answer?.version)
    return { check: "port", status: "ok", message: `Parley ${answer.version} is running on ${host}:${port}` };
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) => {
      const why =
        error.code === "EADDRINUSE" ? "is taken by another program" : `can't be opened (${error.code})`;
      resolve({
        check: "port",
        status: "problem",
        message: `${host}:${port} ${why}. Set PORT to a free one.`,
      });
    });
    probe.listen(port, host, () =>
      probe.close(() => resolve({ check: "port", status: "ok", message: `${host}:${port} is free` })),
    );
  });
}

async function checkDatabase(config: Config): Promise<Finding> {
  if (!config.database_url) {
    const version = await readFile(path.join(config.data_dir, "postgres", "PG_VERSION"), "utf8").catch(
      () => null,
    );
    const message = version
      ? `embedded PostgreSQL ${version.trim()} in ${config.data_dir}`
      : `embedded PostgreSQL; its data will be made in ${config.data_dir} at the first start`;
    return { check: "database", status: "ok", message };
  }
  const client = new pg.Client({ connectionString: config.database_url, connectionTimeoutMillis: 5000 });
  try {
    await client.connect();
    const { rows } = await client.query("select current_setting('server_version') as version, now() as now");
    const major = Number.parseInt(rows[0].version, 10);
    if (major < 15)
      return {
        check: "database",
        status: "problem",
        message: `PostgreSQL ${rows[0].version}; Parley needs 15 or newer.`,
      };
    const skew_ms = Math.abs(Date.now() - new Date(rows[0].now).getTime());
    if (skew_ms > 5000) {
      return {
        check: "database",
        status: "warning",
        message: `its clock differs from this machine's by ${Math.round(skew_ms / 1000)} s. Run NTP on both.`,
      };
    }
    return { check: "database", status: "ok", message: `PostgreSQL ${rows[0].version}` };
  } catch (error) {
    return {
      check: "database",
      status: "problem",
      message: `DATABASE_URL does not answer: ${errorText(error)}.`,
    };
  } finally {
    await client.end().catch(() => {});
  }
}

async function checkKeys(config: Config, secrets: Secrets): Promise<Finding[]> {
  const keys = Object.entries(secrets.llm_api_keys) as [LlmProvider, string][];
  if (keys.length === 0) {
    return [
      {
        check: "models",
        status: "ok",
        message: "no provider key is set: the scripted offline model answers",
      },
    ];
  }
  return Promise.all(
    keys.map(async ([provider, key]): Promise<Finding> => {
      const { base, path, headers } = KEY_CHECKS[provider];
      const url = `${config.llm_base_urls[provider] ?? base}${path}`;
      // The operator names this address, so a private one is meant.
      const response = await fetch(url, { headers: headers(key), signal: AbortSignal.timeout(10_000) }).catch(
        errorText,
      );
      if (typeof response === "string")
        return {
          check: provider,
          status: "problem",
          message: `${new URL(url).host} can't be reached: ${response}`,
        };
      if (response.status === 401 || response.status === 403) {
        return {
          check: provider,
          status: "problem",
          message: `the key is refused (${response.status}). Set ${provider.toUpperCase()}_API_KEY to a good one.`,
        };
      }
      return {
        check: provider,
        status: response.ok ? "ok" : "warning",
        message: `${new URL(url).host} answered ${response.status}`,
      };
    }),
  );
}

function checkClock(): Finding {
  const year = new Date().getUTCFullYear();
  return year < 2026
    ? {
        check: "clock",
        status: "problem",
        message: `this machine says it is ${year}. Set its clock; schedules and tokens depend on it.`,
      }
    : {
        check: "clock",
        status: "ok",
        message: `${new Date().toISOString()} (${Intl.DateTimeFormat().resolvedOptions().timeZone})`,
      };
}

function checkPublicUrl(config: Config): Finding {
  const local = /^http:\/\/(127\.|localhost|\[::1\])/.test(config.public_url);
  return local
    ? {
        check: "public url",
        status: "ok",
        message: `${config.public_url} (this machine only; carriers need PUBLIC_URL set to an https address)`,
      }
    : { check: "public url", status: "ok", message: config.public_url };
}
