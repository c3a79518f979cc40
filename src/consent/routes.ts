import { announcementRoutes } from "../announcements/announcement-routes.ts";
import type { Api } from "../api/server.ts";
import { consentRoutes } from "./consent-routes.ts";
import { doNotCallRoutes } from "./do-not-call-routes.ts";
import { ListUploads } from "./list-upload.ts";
import { suppressionRoutes } from "./suppression-routes.ts";

type Deps = Omit<Parameters<typeof suppressionRoutes>[1], "uploads">;

/** Who must not be reached, who agreed to be, and what everybody is told first. */
export function addConsent(api: Api, deps: Deps): void {
  const uploads = new ListUploads();
  suppressionRoutes(api, { ...deps, uploads });
  announcementRoutes(api, deps);
  consentRoutes(api, { ...deps, uploads });
  doNotCallRoutes(api, { ...deps, uploads });
}
