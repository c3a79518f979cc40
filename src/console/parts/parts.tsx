import { Alert, Anchor, Badge, Button, Group, Paper, Skeleton, Stack, Text, Title } from "@mantine/core";
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconInfoCircle,
  IconRefresh,
} from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { ApiError } from "../server/api.ts";
import { useInZone } from "../time/in-zone.ts";
import { asLeft } from "./as-left.ts";
import classes from "./parts.module.css";

/** The head of every page: title, one sentence about it, and actions. */
export function PageHead(props: { title: ReactNode; about?: ReactNode; actions?: ReactNode; back?: Crumb }) {
  const { title, about, actions, back } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  // The name of the tab, after every drawing: a record's name comes with the record.
  useEffect(() => {
    document.title = [heading.current?.textContent, back?.label, "Parley"].filter(Boolean).join(" · ");
  });
  return (
    <header className={classes.head}>
      <div className={classes.headText}>
        {back && (
          <RouteLink to={asLeft(back.to)} size="xs" c="dimmed">
            {back.label}
          </RouteLink>
        )}
        <Title order={1} ref={heading} className={classes.title}>
          <Own>{title}</Own>
        </Title>
        {about && (
          <Text size="sm" c="dimmed" component="div">
            {about}
          </Text>
        )}
      </div>
      {actions && <Group gap="xs">{actions}</Group>}
    </header>
  );
}
export type Crumb = { to: string; label: string };

/** A text that may be a name: in the direction of its own first letter, and moving nothing beside it. */
const Own = ({ children }: { children: ReactNode }) =>
  typeof children === "string" ? <bdi>{children}</bdi> : children;

/** A link inside the console; `to` is the address below /console, with its values filled in. */
export function RouteLink(props: {
  to: string;
  children: ReactNode;
  size?: string;
  c?: string;
  fw?: number;
  title?: string;
  /** In running text a link is told by more than its colour. */
  underline?: "always";
  /** Its name, where what is seen does not say enough by itself; it contains what is seen. */
  label?: string;
}) {
  const { to, label, ...rest } = props;
  return (
    <Anchor
      inherit={props.size === undefined}
      renderRoot={(root) => <Link to={to} {...root} />}
      // What it leads to may have a name that is read from the right.
      dir="auto"
      aria-label={label}
      {...rest}
    />
  );
}

export function LinkButton(props: {
  to: string;
  children: ReactNode;
  leftSection?: ReactNode;
  variant?: string;
  size?: string;
}) {
  const { to, ...rest } = props;
  return <Button renderRoot={(root) => <Link to={to} {...root} />} {...rest} />;
}

/** A framed part of a page. */
export function Panel(props: {
  title?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  flush?: boolean;
}) {
  const { title, actions, children, flush = false } = props;
  return (
    <Paper component="section" p={0} className={classes.panel}>
      {(title || actions) && (
        <div className={classes.panelHead}>
          {title && (
            <Title order={2}>
              <Own>{title}</Own>
            </Title>
          )}
          {actions && <Group gap="xs">{actions}</Group>}
        </div>
      )}
      <div className={flush ? classes.flush : classes.panelBody} data-flush={flush || undefined}>
        {children}
      </div>
    </Paper>
  );
}

/** What a place is for and how to fill it, where there is nothing yet. */
export function Empty(props: { title: string; children?: ReactNode; action?: ReactNode; icon?: ReactNode }) {
  return (
    <Stack align="center" gap={6} py="xl" px="md" ta="center" className={classes.empty}>
      {props.icon && <span className={classes.emptyIcon}>{props.icon}</span>}
      <Text fw={600}>{props.title}</Text>
      {props.children && (
        <Text size="sm" c="dimmed" maw={460} component="div">
          {props.children}
        </Text>
      )}
      {props.action && <div className={classes.emptyAction}>{props.action}</div>}
    </Stack>
  );
}

/** Turns for as long as the promise of its try is open, so that nobody wonders whether the click arrived. */
function TryAgain({ retry }: { retry: () => unknown }) {
  const [isTrying, setIsTrying] = useState(false);
  const tryAgain = async () => {
    setIsTrying(true);
    try {
      await retry();
    } finally {
      setIsTrying(false);
    }
  };
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconRefresh size={14} />}
      loading={isTrying}
      onClick={() => void tryAgain()}
    >
      Try again
    </Button>
  );
}

/** Why something is not shown, and a way to try again. */
export function Failure({ error, retry }: { error: Error; retry?: () => unknown }) {
  // The page's address names its record by a word where it has a number.
  const inZone = useInZone();
  const mistyped = error instanceof ApiError && error.issues[0]?.loc[0] === "path";
  const missing = mistyped || (error instanceof ApiError && error.status === 404);
  const forbidden = error instanceof ApiError && error.status === 403;
  const title = missing ? "Record not found" : forbidden ? "This is not allowed" : "The request failed";
  return (
    <Alert color="red" title={title} icon={<IconAlertTriangle />} role="alert" my="md">
      <Stack gap="xs" align="flex-start">
        <span>{mistyped ? "The address may be mistyped." : inZone(error.message)}</span>
        {retry && !missing && !forbidden && <TryAgain retry={retry} />}
      </Stack>
    </Alert>
  );
}

/**
 * Above what was read before and could not be read again. Where the server is not reached at all, the banner says so
 * once for the whole page.
 */
export function Stale({ error, retry }: { error: Error | null; retry(): unknown }) {
  if (error === null || (error instanceof ApiError && error.status === 0)) return null;
  return (
    <Alert color="yellow" title="This may be out of date" icon={<IconAlertTriangle />} role="status" my="xs">
      <Stack gap="xs" align="flex-start">
        <span>Refresh failed: {error.message}</span>
        <TryAgain retry={retry} />
      </Stack>
    </Alert>
  );
}

/** Holds the place of what is on its way, so that nothing jumps. */
export function Loading({ lines = 6 }: { lines?: number }) {
  return (
    <Stack gap="sm" aria-busy="true" role="status" className={classes.loading}>
      <span className="sr-only">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines without a meaning
        <Skeleton key={line} height={16} width={`${90 - ((line * 23) % 45)}%`} />
      ))}
    </Stack>
  );
}

/** What a query has: its data, or its place held, or why not; and whether it may be old. */
export function Fetched<T>(props: {
  query: { data: T | undefined; error: Error | null; refetch(): unknown };
  children(data: T): ReactNode;
  lines?: number;
}) {
  const { query, children, lines } = props;
  const retry = () => query.refetch();
  if (query.data !== undefined) {
    return (
      <>
        <Stale error={query.error} retry={retry} />
        {children(query.data)}
      </>
    );
  }
  if (query.error) return <Failure error={query.error} retry={retry} />;
  return <Loading {...(lines !== undefined && { lines })} />;
}

export type Tone = "good" | "bad" | "busy" | "quiet" | "warn" | "info";
const TONES: Record<Tone, { color: string; icon: ReactNode }> = {
  good: { color: "green", icon: <IconCircleCheck size={13} /> },
  bad: { color: "red", icon: <IconCircleX size={13} /> },
  busy: { color: "ink", icon: <IconCircleDashed size={13} /> },
  warn: { color: "yellow", icon: <IconAlertTriangle size={13} /> },
  info: { color: "ink", icon: <IconInfoCircle size={13} /> },
  quiet: { color: "gray", icon: null },
};

/** A state in a word; its sign and its word say it, the colour only helps. */
export function Status({ tone, children }: { tone: Tone; children: ReactNode }) {
  const { color, icon } = TONES[tone];
  return (
    <Badge color={color} leftSection={icon} className={classes.status} data-tone={tone}>
      {children}
    </Badge>
  );
}

/** Names with their values, side by side, below each other where it is narrow. */
export function Facts({ items }: { items: [label: string, value: ReactNode][] }) {
  return (
    <dl className={classes.facts}>
      {items.map(([label, value]) => (
        <div key={label}>
          <dt>
            <Own>{label}</Own>
          </dt>
          <dd>
            <Own>{value === null || value === undefined || value === "" ? "–" : value}</Own>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A part that scrolls by itself, and can be reached and scrolled by keyboard. */
export function Scroller(props: {
  label: string;
  className?: string | undefined;
  children: ReactNode;
  stale?: boolean;
}) {
  return (
    <section
      className={props.className}
      // What is placed inside, as words for screen readers are, must not widen the page around it.
      style={{ position: "relative", overflow: "auto" }}
      aria-label={props.label}
      data-stale={props.stale}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
      tabIndex={0}
    >
      {props.children}
    </section>
  );
}

/** JSON or text as it is; it scrolls in its own frame. */
export function Code({ value, label }: { value: unknown; label: string }) {
  return (
    <Scroller className={classes.code} label={label}>
      <pre dir="ltr">{prettyJson(value)}</pre>
    </Scroller>
  );
}

function prettyJson(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value, null, 2) ?? "";
  try {
    return JSON.stringify(JSON.parse(value), null, 2);
  } catch {
    return value;
  }
}
