import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { Fault } from "../base/errors.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");

/** A package that running Parley installs; `licence` is an SPDX expression. */
export type InstalledPart = { name: string; version: string; licence: string };

/** Not a package of npm, and shipped in the repository all the same. */
const SHIPPED: InstalledPart[] = [{ name: "silero-vad (weights)", version: "5", licence: "MIT" }];

type LockedPackage = { version?: string; license?: string; dev?: boolean };

/** Every package of the lock file that running needs, on any platform, by name. Pure but for the file. */
export function installedParts(): InstalledPart[] {
  const { packages } = JSON.parse(readFileSync(path.join(ROOT, "package-lock.json"), "utf8")) as {
    packages: Record<string, LockedPackage>;
  };
  const found = new Map<string, InstalledPart>();
  for (const [folder, { version = "", license = "unknown", dev }] of Object.entries(packages)) {
    if (folder === "" || dev) continue;
    const name = folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
    found.set(`${name}@${version}`, { name, version, licence: license });
  }
  return [...found.values(), ...SHIPPED].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Prints what Parley is made of with its licences: a table by licence, or JSON for programs. */
export function licences(args: string[]): number {
  const parts = installedParts();
  if (args.includes("--json")) {
    process.stdout.write(`${JSON.stringify(parts, null, 2)}\n`);
    return 0;
  }
  const byLicence = [...Map.groupBy(parts, ({ licence }) => licence)].toSorted(
    ([, a], [, b]) => b.length - a.length,
  );
  for (const [licence, of] of byLicence) {
    const named = of.length <= 6 ? `  ${of.map(({ name }) => name).join(", ")}` : "";
    process.stdout.write(`${String(of.length).padStart(5)}  ${licence}${named}\n`);
  }
  process.stdout.write(`${String(parts.length).padStart(5)}  in all; --json lists each\n`);
  return 0;
}

/** Prints the software bill of materials, CycloneDX 1.5 or SPDX 2.3, of what running Parley installs; npm writes it. */
export async function sbom(args: string[]): Promise<number> {
  const format = args.includes("--spdx") ? "spdx" : "cyclonedx";
  const document = await written(format);
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  return 0;
}

type Document = { name?: string; metadata?: { component?: { name?: string } } };

async function written(format: "cyclonedx" | "spdx"): Promise<Document> {
  const asked = ["sbom", "--omit=dev", `--sbom-format=${format}`, "--package-lock-only"];
  try {
    const { stdout } = await promisify(execFile)("npm", asked, { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 });
    const document = JSON.parse(stdout) as Document;
    // npm names the whole after the folder it stands in.
    if (document.metadata?.component) document.metadata.component.name = "parley";
    else document.name = "parley";
    return document;
  } catch (error) {
    const { code, stderr = "" } = error as { code?: unknown; stderr?: string };
    const reason = code === "ENOENT" ? "npm is not installed" : stderr.trim().split("\n")[0];
    throw new Fault(
      "refused",
      `npm could not write the bill of materials (${reason}). It takes npm 10 or newer.`,
    );
  }
}
