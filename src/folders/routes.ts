import type { Api } from "../api/server.ts";
import { folderRoutes } from "./folder.ts";
import { folderFileRoutes } from "./folder-file.ts";

type Deps = Parameters<typeof folderFileRoutes>[1];

/** Recordings and transcripts that were uploaded, in folders. */
export function addFolders(api: Api, deps: Deps): void {
  folderRoutes(api, deps);
  folderFileRoutes(api, deps);
}
