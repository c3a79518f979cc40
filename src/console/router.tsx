import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  lazyRouteComponent,
} from "@tanstack/react-router";
import { PAGES } from "./pages.tsx";
import { Failure, Loading, PageHead, RouteLink } from "./parts/parts.tsx";
import { ownCode } from "./server/connection.ts";
import { useStore } from "./server/store.ts";
import { Shell } from "./shell/shell.tsx";

function PageFailure({ error, reset }: ErrorComponentProps) {
  const isOld = useStore(ownCode) === "gone";
  if (!isOld) return <Failure error={error as Error} retry={reset} />;
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

const routes = PAGES.map((page) =>
  createRoute({
    getParentRoute: () => root,
    path: page.path,
    component: lazyRouteComponent(page.load),
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
