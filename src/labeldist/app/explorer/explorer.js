// Text from the table only becomes text nodes, never markup.
"use strict";

const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);
const n = data.names.length;
const c = data.labels.length;
const several = data.versions.length > 1;
const PAGE_SIZE = 50;

// Degrees

function decode(text, ArrayType) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return new ArrayType(bytes.buffer);
}

const degrees = data.versions.map((version) => decode(version.degrees, Uint16Array));
const bounds = data.versions.map(({ lower, upper }) => lower && [lower, upper].map((text) => decode(text, Uint16Array)));
const logical = data.logical === null ? null : decode(data.logical, Uint8Array);
const votes = data.votes === null ? null : decode(data.votes, Uint32Array);
const degree = (version, item, label) => degrees[version][item * c + label] / data.steps;

const boundsOf = (version, item, label) => bounds[version].map((bound) => bound[item * c + label] / data.steps);

// Return a function of version numbers that computes one value per item, and keeps the results.
function perItem(compute) {
  const known = new Map();
  return (...versions) => {
    const key = versions.join();
    if (!known.has(key)) known.set(key, Float64Array.from({ length: n }, (_, item) => compute(item, ...versions)));
    return known.get(key);
  };
}

const labelNumbers = data.labels.map((_, label) => label);

const topLabels = perItem((item, version) =>
  labelNumbers.reduce((top, label) => (degree(version, item, label) > degree(version, item, top) ? label : top), 0));

const isTop = (version, item, label) =>
  degree(version, item, label) === degree(version, item, topLabels(version)[item]);

const ambiguities = perItem((item, version) => {
  let entropy = 0;
  for (const label of labelNumbers) {
    const share = degree(version, item, label);
    if (share > 0) entropy -= share * Math.log(share);
  }
  return Math.exp(entropy);
});

const differences = perItem((item, one, other) =>
  labelNumbers.reduce((largest, label) => Math.max(largest, Math.abs(degree(one, item, label) - degree(other, item, label))), 0));

const texts = data.names.map((name, item) =>
  [name, ...data.columns.map((column) => column.cells[item])].join("\n").toLowerCase());

// State: the controls, the chosen item, and the items that pass search and filter

const DEFAULTS = { search: "", label: "", sort: data.sort, version: 0, other: several ? 1 : 0, item: 0 };
const state = { ...DEFAULTS };
let items = [];
let page = 0;

function selectItems() {
  const words = state.search.toLowerCase().split(/\s+/).filter(Boolean);
  const label = state.label === "" ? null : Number(state.label);
  const selected = [...texts.keys()].filter((item) =>
    (label === null || isTop(state.version, item, label)) && words.every((word) => texts[item].includes(word)));
  if (state.sort === "table") return selected;
  const byAmbiguity = ["ambiguous", "clear"].includes(state.sort);
  const key = byAmbiguity ? ambiguities(state.version) : differences(state.version, state.other);
  const sign = ["ambiguous", "apart"].includes(state.sort) ? -1 : 1;
  return selected.sort((one, other) => sign * (key[one] - key[other]) || one - other);
}

// Elements

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

const nameOf = (item) => data.names[item] || "(no name)";

function topText(version, item) {
  const tops = labelNumbers.filter((label) => isTop(version, item, label));
  const names = tops.length > 2 ? `${tops.length} labels` : tops.map((label) => data.labels[label]).join(" = ");
  return `${names} ${degree(version, item, tops[0]).toFixed(2)}`;
}

// A small bar chart of all degrees of an item.
function spark(version, item) {
  const height = 18, step = 96 / c;
  const bars = labelNumbers.map((label) => {
    const size = Math.max(0.5, height * degree(version, item, label) / data.largest).toFixed(1);
    return `M${(label * step).toFixed(2)} ${height}v-${size}h${(0.8 * step).toFixed(2)}v${size}z`;
  });
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", bars.join(""));
  svg.setAttribute("viewBox", `0 0 96 ${height}`);
  svg.setAttribute("aria-hidden", "true");
  svg.append(path);
  return svg;
}

function showList() {
  const { version, other } = state;
  const shown = items.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE);
  byId("list").style.setProperty("--bar", data.colours[version]);
  byId("list").querySelector("tbody").replaceChildren(...shown.map((item) => {
    const button = make("button", { type: "button", title: nameOf(item) }, nameOf(item));
    button.addEventListener("click", () => {
      choose(item);
      if (byId("item").getBoundingClientRect().top > innerHeight * 0.7) byId("item").scrollIntoView();
    });
    if (item === state.item) button.setAttribute("aria-current", "true");
    return make("tr", {},
      make("th", { scope: "row" }, button),
      make("td", { className: "words" }, topText(version, item)),
      make("td", { className: "spark" }, spark(version, item)),
      make("td", {}, ambiguities(version)[item].toFixed(2)),
      ...(several ? [make("td", {}, differences(version, other)[item].toFixed(3))] : []));
  }));
  const pages = Math.max(1, Math.ceil(items.length / PAGE_SIZE));
  byId("pages").textContent = `page ${page + 1} of ${pages}`;
  byId("previous-page").disabled = page === 0;
  byId("next-page").disabled = page + 1 >= pages;
}

function bar(version, item, label) {
  const value = degree(version, item, label);
  const row = make("div", { "--bar": data.colours[version], "--degree": value.toFixed(4) },
    make("span", { className: "spoken" }, `${data.versions[version].name} `),
    make("span", { className: "bar" }),
    make("span", { className: "number" }, value.toFixed(3)));
  if (bounds[version]) {
    const [lower, upper] = boundsOf(version, item, label).map((bound) => bound.toFixed(3));
    row.style.setProperty("--lower", lower);
    row.style.setProperty("--upper", upper);
    row.title = `90 % interval ${lower} to ${upper}`;
    row.append(make("span", { className: "interval" }), make("span", { className: "spoken" }, `, ${row.title}`));
  }
  return row;
}

function showItem() {
  const { item } = state, place = items.indexOf(item);
  byId("item").hidden = items.length === 0;
  byId("item-name").textContent = nameOf(item);
  byId("place").textContent = `${place + 1} of ${items.length}`;
  byId("previous").disabled = place <= 0;
  byId("next").disabled = place + 1 >= items.length;
  byId("legend").replaceChildren(...data.versions.map(({ name }, version) =>
    make("li", { "--bar": data.colours[version] }, make("span", { className: "swatch" }),
      `${name}: ${topText(version, item)}, ambiguity ${ambiguities(version)[item].toFixed(2)}`)));
  byId("bars").replaceChildren(...data.labels.map((name, label) => {
    const marks = [];
    if (logical?.[item * c + label]) marks.push("given");
    if (votes) marks.push(votes[item * c + label] === 1 ? "1 vote" : `${votes[item * c + label]} votes`);
    const given = marks.map((mark) => make("span", { className: "given" }, mark));
    const bars = data.versions.map((_, version) => bar(version, item, label));
    return make("tr", {}, make("th", { scope: "row" }, name, ...given), make("td", {}, ...bars));
  }));
  const cells = [["Row of the table", data.rows[item]], ...data.columns.map(({ name, cells }) => [name, cells[item] || "–"])];
  byId("columns").replaceChildren(...cells.map(([name, text]) =>
    make("div", {}, make("dt", {}, name), make("dd", {}, String(text)))));
}

// Export of the list

// Return the columns of the table as pairs of a name and a function of the item.
function exportedColumns() {
  const columns = [["row", (item) => data.rows[item]], ["item", (item) => data.names[item]]];
  columns.push(...data.columns.map(({ name, cells }) => [name, (item) => cells[item]]));
  if (votes) columns.push(...data.labels.map((label, k) => [`votes: ${label}`, (item) => votes[item * c + k]]));
  data.versions.forEach(({ name }, version) => {
    columns.push([`${name}: ambiguity`, (item) => ambiguities(version)[item].toFixed(4)]);
    data.labels.forEach((label, k) => {
      columns.push([`${name}: ${label}`, (item) => degree(version, item, k).toFixed(4)]);
      if (!bounds[version]) return;
      for (const [side, bound] of [["lower", 0], ["upper", 1]])
        columns.push([`${name}: ${label} ${side}`, (item) => boundsOf(version, item, k)[bound].toFixed(4)]);
    });
  });
  return columns;
}

function exportList() {
  const columns = exportedColumns();
  const rows = items.map((item) => columns.map(([, value]) => value(item)));
  const quoted = [columns.map(([name]) => name), ...rows].map((cells) =>
    cells.map((cell) => `"${String(cell).replaceAll('"', '""')}"`).join(","));
  // Excel recognises UTF-8 by the byte order mark.
  const file = new Blob(["\ufeff", quoted.join("\r\n"), "\r\n"], { type: "text/csv" });
  const address = URL.createObjectURL(file);
  make("a", { href: address, download: "items.csv" }).click();
  URL.revokeObjectURL(address);
}

// Events

function choose(item) {
  state.item = item;
  page = Math.max(0, Math.floor(items.indexOf(item) / PAGE_SIZE));
  const list = byId("list"), focused = list.contains(document.activeElement);
  showList();
  showItem();
  const button = list.querySelector("[aria-current]");
  if (button) {
    if (focused) button.focus({ preventScroll: true });
    const { offsetTop } = button.closest("tr"); // scroll the list only, not the page
    if (Math.abs(offsetTop - list.scrollTop - list.clientHeight / 2) > list.clientHeight / 2 - 40) list.scrollTop = offsetTop - list.clientHeight / 2;
  }
  history.replaceState(null, "", `#${new URLSearchParams(state)}`);
}

function step(by) {
  const next = items[items.indexOf(state.item) + by];
  if (next !== undefined) choose(next);
}

function update() {
  items = selectItems();
  byId("count").textContent = `${items.length.toLocaleString("en")} of ${n.toLocaleString("en")} ${n === 1 ? "item" : "items"}`;
  choose(items.includes(state.item) ? state.item : items[0] ?? 0);
}

function readAddress() {
  const parts = new URLSearchParams(location.hash.slice(1));
  for (const control of document.querySelectorAll("[data-state]")) {
    const name = control.dataset.state;
    control.value = parts.get(name) ?? DEFAULTS[name];
    if (control.value === "") control.value = DEFAULTS[name];
    state[name] = typeof DEFAULTS[name] === "number" ? Number(control.value) : control.value;
  }
  const item = Number(parts.get("item") ?? -1);
  state.item = item in data.names ? item : -1; // else the first item of the list
  update();
}

document.querySelector("[data-state=label]").append(...data.labels.map((label, k) => make("option", { value: k }, label)));
byId("items").hidden = false;
byId("without-script").hidden = true;
document.addEventListener("input", ({ target }) => {
  const name = target.dataset.state;
  state[name] = typeof DEFAULTS[name] === "number" ? Number(target.value) : target.value;
  if (["search", "label", "sort"].includes(name)) state.item = -1; // show the first item of the new list
  update();
});
document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, select") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "ArrowLeft") step(-1);
  if (event.key === "ArrowRight") step(1);
});
byId("previous").addEventListener("click", () => step(-1));
byId("next").addEventListener("click", () => step(1));
byId("previous-page").addEventListener("click", () => { page -= 1; showList(); });
byId("next-page").addEventListener("click", () => { page += 1; showList(); });
byId("export").addEventListener("click", exportList);
addEventListener("hashchange", readAddress);
readAddress();
