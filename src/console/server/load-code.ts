import { ApiError } from "./api.ts";
import { isReached } from "./connection.ts";

/** Code that is loaded when it is needed. While the server is away, the browser's own words tell nobody what to do. */
export const loadCode = <T>(load: () => Promise<T>): Promise<T> =>
  load().catch(async (error) => {
    if (await isReached()) throw error;
    throw new ApiError(0, "Parley can't be reached. Try again in a moment.");
  });

/** Browsers remember what did not come, so it is asked for again by a page that is loaded anew. */
export const reloadOnceReached = async (): Promise<void> => {
  if (await isReached()) location.reload();
};
