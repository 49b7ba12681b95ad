// What is shown: the list, the chosen item, the comparison; and how they follow keys, controls and the address.
// Text from the table only ever becomes text: elements are made here, and no markup is read from anywhere.

const PAGE = 50;
const DEFAULTS = { item: data.rows[0], search: "", label: "", sort: "table", version: 0, beside: data.versions.length > 1 ? 1 : 0, by: "chebyshev" };
const state = { ...DEFAULTS };
const place = new Map(data.rows.map((row, item) => [row, item]));
const byId = (id) => document.getElementById(id);
const several = data.versions.length > 1;
let items = [];
let page = 0;

function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("--")) element.style.setProperty(name, value);
    else if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
const chosen = () => place.get(state.item);
const where = () => items.indexOf(chosen());
const topText = (version, item) => {
  const top = topLabels(version)[item];
  return `${data.labels[top]} ${degree(version, item, top).toFixed(2)}`;
};

// A row of small columns, one a label; the numbers are beside the chosen item.
function spark(version, item) {
  const width = 96, height = 18, step = width / c, gap = step > 4 ? 1 : 0;
  const bars = data.labels.map((_, label) => {
    const high = Math.max(0.5, height * degree(version, item, label) / data.largest).toFixed(1);
    return `M${(label * step).toFixed(2)} ${height}v-${high}h${(step - gap).toFixed(2)}v${high}z`;
  });
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", bars.join(""));
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("aria-hidden", "true");
  svg.append(path);
  return svg;
}

function showList() {
  const focused = byId("list").contains(document.activeElement);
  const { version, beside, by } = state;
  const shown = items.slice(page * PAGE, (page + 1) * PAGE);
  const current = shown.includes(chosen()) ? chosen() : shown[0];
  const rows = shown.map((item) => {
    const button = make("button", { type: "button", tabIndex: item === current ? 0 : -1, title: data.names[item] }, data.names[item] || "(no name)");
    if (item === chosen()) button.setAttribute("aria-current", "true");
    button.dataset.row = data.rows[item];
    const cells = [
      make("th", { scope: "row", className: "name" }, button),
      make("td", { className: "words" }, topText(version, item)),
      make("td", { className: "spark" }, spark(version, item)),
      make("td", {}, ambiguities(version)[item].toFixed(2)),
    ];
    if (several) cells.push(make("td", {}, distances(version, beside, by)[item].toFixed(3)));
    return make("tr", {}, ...cells);
  });
  const body = byId("list").querySelector("tbody");
  body.replaceChildren(...rows);
  byId("list").style.setProperty("--bar", data.colours[version]);
  const pages = Math.max(1, Math.ceil(items.length / PAGE));
  byId("pages").textContent = `page ${page + 1} of ${pages.toLocaleString("en")}`;
  byId("previous-page").disabled = page === 0;
  byId("next-page").disabled = page + 1 >= pages;
  const button = body.querySelector("[aria-current]");
  if (focused) (button ?? byId("list")).focus({ preventScroll: true });
  keepInView(button);
}

// Scroll the list, never the page.
function keepInView(button) {
  const list = byId("list");
  if (!button) { list.scrollTop = 0; return; }
  const row = button.closest("tr"), head = list.querySelector("thead").offsetHeight;
  if (row.offsetTop - head < list.scrollTop) list.scrollTop = row.offsetTop - head;
  const low = row.offsetTop + row.offsetHeight - list.clientHeight;
  if (low > list.scrollTop) list.scrollTop = low;
}

// Draw a 90 % interval over the bar of a degree, and say it.
function addInterval(row, value, range) {
  if (!range) return;
  const [lower, upper] = range;
  const text = `90 % interval ${lower.toFixed(3)} to ${upper.toFixed(3)}`;
  for (const [name, number] of [["--lower", lower], ["--upper", upper], ["--beyond", Math.max(0, upper - value)]]) row.style.setProperty(name, number.toFixed(4));
  row.title = text;
  row.append(make("span", { className: "interval" }), make("span", { className: "spoken" }, `, ${text}`));
}

function showItem() {
  const item = chosen(), at = where();
  const { version, beside, by } = state;
  byId("item").hidden = items.length === 0;
  byId("item-name").textContent = data.names[item] || "(no name)";
  byId("place").textContent = at < 0 ? "" : `${(at + 1).toLocaleString("en")} of ${items.length.toLocaleString("en")}`;
  byId("previous").disabled = at <= 0;
  byId("next").disabled = at < 0 || at + 1 >= items.length;
  byId("legend").replaceChildren(...data.versions.map(({ name }, v) => make("li", { "--bar": data.colours[v] },
    make("span", { className: "swatch" }), `${name} `,
    make("small", {}, `top ${topText(v, item)}, ambiguity ${ambiguities(v)[item].toFixed(2)}`))));
  byId("bars").replaceChildren(...data.labels.map((label, l) => {
    const head = make("th", { scope: "row" }, make("span", { className: "label" }, label));
    if (logical?.[item * c + l]) head.append(make("span", { className: "given" }, "given"));
    const bars = data.versions.map(({ name }, v) => {
      const value = degree(v, item, l);
      const row = make("div", { "--bar": data.colours[v], "--degree": value.toFixed(4) },
        make("span", { className: "spoken" }, `${name} `), make("span", { className: "bar" }),
        make("span", { className: "number" }, value.toFixed(3)));
      addInterval(row, value, interval(v, item, l));
      return row;
    });
    return make("tr", {}, head, make("td", {}, ...bars));
  }));
  byId("apart").textContent = several && version !== beside
    ? `“${data.versions[version].name}” and “${data.versions[beside].name}” are ${distances(version, beside, by)[item].toFixed(3)} apart.` : "";
  const columns = data.columns.map(({ name, cells }) => make("div", {}, make("dt", {}, name), make("dd", {}, cells[item] || "–")));
  byId("columns").classList.toggle("many", columns.length > 12);
  byId("columns").replaceChildren(make("div", {}, make("dt", {}, "Row of the table"), make("dd", {}, state.item.toLocaleString("en"))), ...columns);
}

function showPair() {
  if (!several) return;
  const { version, beside, by } = state;
  const apart = distances(version, beside, by);
  const most = version === beside ? [] : furthestApart(version, beside, by);
  byId("pair").textContent = most.length ? "The items whose degrees are furthest apart:" : "Choose two different versions.";
  byId("differing").replaceChildren(...most.map((item) => {
    const button = make("button", { type: "button", className: "link" }, data.names[item] || "(no name)");
    button.dataset.row = data.rows[item];
    return make("li", {}, button, `: ${topText(version, item)} against ${topText(beside, item)}, ${apart[item].toFixed(3)} apart`);
  }));
}

function showLabels() {
  const select = document.querySelector("[data-state=label]");
  const counts = data.labels.map(() => 0);
  for (const label of topLabels(state.version)) counts[label] += 1;
  select.replaceChildren(make("option", { value: "" }, "any"),
    ...data.labels.map((label, l) => make("option", { value: label }, `${label} (${counts[l].toLocaleString("en")})`)));
}

// Show everything anew; what is chosen stays, unless it is not in the list or `first` is wanted.
function update({ first = false } = {}) {
  items = chosenItems(state);
  if (items.length && (first || where() < 0)) state.item = data.rows[items[0]];
  page = Math.max(0, Math.floor(where() / PAGE));
  byId("count").textContent = items.length === n ? counted(n, "item") : `${items.length.toLocaleString("en")} of ${counted(n, "item")}`;
  showLabels();
  for (const control of document.querySelectorAll("[data-state]")) {
    if (control.value !== String(state[control.dataset.state])) control.value = state[control.dataset.state];
  }
  showList();
  showItem();
  showPair();
  remember();
}

function choose(item) {
  state.item = data.rows[item];
  page = Math.max(0, Math.floor(where() / PAGE));
  showList();
  showItem();
  remember();
  const at = where() < 0 ? "" : `, ${where() + 1} of ${items.length}`;
  byId("said").textContent = `${data.names[item]}${at}: ${topText(state.version, item)}`;
}

function step(by) {
  const next = where() + by;
  if (next >= 0 && next < items.length) choose(items[next]);
}

// The address after # holds the item and what else differs from the defaults, versions by their names.
function remember() {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(state)) {
    if (value === DEFAULTS[name] && name !== "item") continue;
    parts.set(name, name === "version" || name === "beside" ? data.versions[value].name : value);
  }
  history.replaceState(null, "", `#${parts}`);
}

function recall() {
  const parts = new URLSearchParams(location.hash.slice(1));
  Object.assign(state, DEFAULTS);
  for (const [name, text] of parts) {
    if (name === "item" && place.has(Number(text))) state.item = Number(text);
    else if (name === "search") state.search = text;
    else if (name === "label" && data.labels.includes(text)) state.label = text;
    else if (name === "version" || name === "beside") {
      const version = data.versions.findIndex((one) => one.name === text);
      if (version >= 0) state[name] = version;
    } else if (["sort", "by"].includes(name) && document.querySelector(`[data-state=${name}] option[value="${CSS.escape(text)}"]`)) state[name] = text;
  }
  update({ first: !parts.has("item") });
}

function changed(event) {
  const { state: name } = event.target.dataset;
  if (!name) return;
  state[name] = name === "version" || name === "beside" ? Number(event.target.value) : event.target.value;
  update({ first: ["search", "label", "sort"].includes(name) });
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  if (event.target.closest("input, select")) return;
  if (event.key === "/") {
    event.preventDefault();
    document.querySelector("[data-state=search]").focus();
    return;
  }
  const inList = event.target.closest("#list") !== null;
  if (!inList && event.target.closest(".box")) return; // there they scroll
  const steps = { ArrowLeft: -1, ArrowRight: 1, ...(inList && { ArrowUp: -1, ArrowDown: 1 }) };
  if (!(event.key in steps)) return;
  event.preventDefault();
  step(steps[event.key]);
}

function clicked(event) {
  const { row } = event.target.closest("button[data-row]")?.dataset ?? {};
  if (!row) return;
  choose(place.get(Number(row)));
  const box = byId("item").getBoundingClientRect();
  if (box.top < 0 || box.top > innerHeight * 0.7) byId("item").scrollIntoView();
}

for (const element of document.querySelectorAll("[data-scripted], [data-unscripted]")) element.hidden = !element.hidden;
document.addEventListener("input", changed);
document.addEventListener("keydown", pressed);
document.addEventListener("click", clicked);
addEventListener("hashchange", recall);
byId("previous").addEventListener("click", () => step(-1));
byId("next").addEventListener("click", () => step(1));
byId("previous-page").addEventListener("click", () => { page -= 1; showList(); });
byId("next-page").addEventListener("click", () => { page += 1; showList(); });
recall();
