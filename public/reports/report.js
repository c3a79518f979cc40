// Shows one dashboard. The address holds its name and a guest token; the numbers come ready from the server.
const name = location.pathname.split("/").at(-1);
const token = new URLSearchParams(location.search).get("token") ?? "";
const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
const KINDS_COLORED = 6;
const SVG = "http://www.w3.org/2000/svg";
const days = document.getElementById("days");

async function show() {
  const query = new URLSearchParams({ token, days: days.value, timezone });
  const problem = document.getElementById("problem");
  try {
    const response = await fetch(`/reports/${name}/data?${query}`);
    const body = await response.json();
    if (!response.ok) throw new Error(typeof body.detail === "string" ? body.detail : body.detail[0].msg);
    problem.textContent = "";
    render(body);
  } catch (error) {
    problem.textContent = error instanceof TypeError ? "Parley does not answer." : error.message;
  }
}

function render({ display_name, numbers, by_day, tables }) {
  document.title = display_name;
  document.getElementById("name").textContent = display_name;
  document
    .getElementById("numbers")
    .replaceChildren(
      ...numbers.map((each) =>
        element("div", {}, element("dt", {}, each.name), element("dd", {}, spell(each))),
      ),
    );
  document.getElementById("course").replaceChildren(heading(by_day.name), ...course(by_day));
  document
    .getElementById("tables")
    .replaceChildren(
      ...tables.flatMap((each) => [heading(each.name), element("div", { class: "table" }, tableOf(each))]),
    );
}

function spell({ value, unit }) {
  if (value === null) return "–";
  const text = value.toLocaleString();
  return unit === "percent" ? `${text} %` : unit === "seconds" ? `${text} s` : text;
}

/** Bars by day, a color a kind, on a grid of one unit a day and a hundred in height. */
function course({ columns, rows }) {
  const kinds = columns.slice(1);
  const highest = Math.max(0, ...rows.map(([, ...counts]) => sum(counts)));
  const bars = rows.flatMap(([day, ...counts], index) => {
    let top = 100;
    return counts.map((count, kind) => {
      const height = (count / (highest || 1)) * 100;
      top -= height;
      const title = shape("title", {});
      title.textContent = `${day}: ${count} ${kinds[kind]}`;
      const bar = shape("rect", { x: index + 0.1, y: top, width: 0.8, height, class: colorOf(kind) });
      bar.append(title);
      return bar;
    });
  });
  const chart = shape("svg", {
    viewBox: `0 0 ${rows.length} 100`,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label": `${kinds.join(", ")} by day`,
  });
  chart.append(...bars);
  const legend = kinds.map((kind, index) => {
    const mark = shape("svg", { viewBox: "0 0 1 1", "aria-hidden": "true" });
    mark.append(shape("rect", { width: 1, height: 1, class: colorOf(index) }));
    return element("li", {}, mark, ` ${kind}`);
  });
  const caption = `${rows[0][0]} to ${rows.at(-1)[0]}, at most ${highest.toLocaleString()} a day`;
  return [chart, element("p", { class: "empty" }, caption), element("ul", { class: "legend" }, ...legend)];
}

function tableOf({ columns, rows }) {
  if (rows.length === 0) return element("p", { class: "empty" }, "Nothing in this period.");
  const isNumber = (index) => rows.some((row) => typeof row[index] === "number");
  const head = element(
    "tr",
    {},
    ...columns.map((column, index) =>
      element("th", { scope: "col", ...(isNumber(index) && { class: "number" }) }, column),
    ),
  );
  const body = rows.map((row) =>
    element(
      "tr",
      {},
      ...row.map((value) =>
        typeof value === "number"
          ? element("td", { class: "number" }, value.toLocaleString(undefined, { useGrouping: false }))
          : element("td", {}, moment(value)),
      ),
    ),
  );
  return element("table", {}, element("thead", {}, head), element("tbody", {}, ...body));
}

/** Times come as ISO texts, and are shown as the reader's clock had them. */
const moment = (value) =>
  value === null ? "" : /^\d{4}-\d\d-\d\dT/.test(value) ? new Date(value).toLocaleString() : value;

const sum = (counts) => counts.reduce((total, count) => total + count, 0);
const colorOf = (kind) => `kind-${kind % KINDS_COLORED}`;
const heading = (text) => element("h2", {}, text);

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function shape(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

days.addEventListener("change", show);
await show();
