import path from "node:path";
import { z } from "zod";
import { readTextFile } from "../api/input/text-file.ts";
import { readYaml } from "../api/input/yaml-file.ts";
import { unreadable } from "../base/errors.ts";
import { notAReference, resolveReferences } from "./env-references.ts";
import { ENVIRONMENTS, told } from "./read-folder.ts";
import type { PlanTarget } from "./run.ts";

const EnvironmentFile = z.strictObject({
  url: z.url({ protocol: /^https?$/ }),
  token: z.string().min(1),
  values: z.record(z.string().regex(/^[A-Za-z_]\w*$/), z.string()).default({}),
});

type Env = (name: string) => string | undefined;

/**
 * `environments/staging.yaml`: where an installation is, and what differs there: its values come before those of the
 * process. Or what is wrong with it.
 */
export async function readEnvironment(
  folder: string,
  name: string,
  env: Env,
): Promise<(PlanTarget & { token: string }) | { faults: string[] }> {
  const file = `${ENVIRONMENTS}/${name}.yaml`;
  const text = await readTextFile(path.join(folder, file)).catch((error) => error as NodeJS.ErrnoException);
  if (typeof text !== "string")
    return {
      faults: [
        text.code === "ENOENT"
          ? `${file}: There is no such file. It names the url and the token of ${name}.`
          : unreadable(file, text),
      ],
    };
  const read = readYaml(text, EnvironmentFile);
  if (!read.ok) return { faults: read.faults.map((fault) => told(file, fault)) };
  const { value, missing, malformed } = resolveReferences(read.value, env);
  const faults = [
    ...malformed.map(({ written }) => notAReference(written)),
    ...missing.map(({ name: variable }) => `The environment has no ${variable}. Set it.`),
  ];
  if (faults.length > 0) return { faults: faults.map((fault) => `${file}: ${fault}`) };
  const { url, token, values } = value as z.infer<typeof EnvironmentFile>;
  const remedies = {
    address: `Start it, or correct the url in ${file}.`,
    token: `Correct the token in ${file}.`,
  };
  return { url, token, env: (variable) => values[variable] ?? env(variable), remedies };
}
