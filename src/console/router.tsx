import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { Empty, Failure, Loading, RouteLink } from "./ground/parts.tsx";
import { Shell } from "./ground/shell.tsx";
import { PAGES } from "./pages.tsx";

const root = createRootRoute({
  component: Shell,
  notFoundComponent: () => (
    <Empty title="There is no such page" action={<RouteLink to="/">To the first page</RouteLink>}>
      The address may be mistyped, or the page is gone.
    </Empty>
  ),
});

const routes = PAGES.map((page) =>
  createRoute({
    getParentRoute: () => root,
    path: page.path,
    component: lazyRouteComponent(page.load),
    pendingComponent: () => <Loading />,
    errorComponent: ({ error, reset }) => <Failure error={error as Error} retry={reset} />,
  }),
);

/** Search parameters are texts, as they stand in the address. */
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
