import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  lazyRouteComponent,
} from "@tanstack/react-router";
import type { ConsolePage } from "./pages/console-page.ts";
import { PAGES } from "./pages.tsx";
import { Failure, Loading, PageHead, RouteLink } from "./parts/parts.tsx";
import { ApiError } from "./server/api.ts";
import { ownCode } from "./server/connection.ts";
import { loadCode, reloadOnceReached } from "./server/load-code.ts";
import { useStore } from "./server/store.ts";
import { Shell } from "./shell/shell.tsx";

function PageFailure({ error, reset }: ErrorComponentProps) {
  const isOld = useStore(ownCode) === "gone";
  // Code that did not come is asked for again by a page that is loaded anew.
  const retry = error instanceof ApiError ? reloadOnceReached : reset;
  if (!isOld) return <Failure error={error as Error} retry={retry} />;
  return (
    <Failure error={new Error("Parley was updated. Reload the page.")} retry={() => location.reload()} />
  );
}

const root = createRootRoute({
  component: Shell,
  errorComponent: PageFailure,
  notFoundComponent: () => (
    <>
      <PageHead title="Page not found" about="The address may be mistyped, or the page is gone." />
      <RouteLink to="/">Home</RouteLink>
    </>
  ),
});

/**
 * The router reloads the browser's page where the code of one doesn't come. While the server is away that would leave
 * nothing of the console, so the failure is one that it doesn't know.
 */
const codeOf = ({ load }: ConsolePage) => lazyRouteComponent(() => loadCode(load));

const routes = PAGES.map((page) =>
  createRoute({
    getParentRoute: () => root,
    path: page.path,
    component: codeOf(page),
    // A page of another record begins anew: a recording that was loaded, or a label that was typed, is of the one before.
    remountDeps: ({ params }) => params,
    pendingComponent: () => <Loading />,
    errorComponent: PageFailure,
  }),
);

/** Search parameters stay strings, exactly as in the address. */
export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: "/console",
  defaultPreload: "intent",
  defaultPendingMs: 200,
  scrollRestoration: true,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const text = new URLSearchParams(search as Record<string, string>).toString();
    return text === "" ? "" : `?${text}`;
  },
});
