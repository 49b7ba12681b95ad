// The page is complete without this: it only sorts, filters and hides what is already there.
"use strict";

const plain = (text) => text.toLowerCase().replace(/[_\s]+/g, " ").trim();
const collator = new Intl.Collator("en", { numeric: true });

// A click sorts upwards, another one downwards; cells without a value stay at the end.
function sortBy(button) {
  const head = button.closest("th");
  const table = head.closest("table");
  const body = table.tBodies[0];
  const place = head.cellIndex;
  const direction = head.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
  for (const other of table.querySelectorAll("thead th[aria-sort]")) other.setAttribute("aria-sort", "none");
  head.setAttribute("aria-sort", direction);
  const sign = direction === "ascending" ? 1 : -1;
  const key = (row) => row.cells[place].dataset.v ?? row.cells[place].textContent.trim();
  const rows = [...body.rows].map((row) => [key(row), row]);
  rows.sort(([a], [b]) => {
    if (a === "" || b === "") return (a === "") - (b === "");
    const difference = Number(a) - Number(b);
    return sign * (Number.isNaN(difference) ? collator.compare(a, b) : difference);
  });
  body.append(...rows.map(([, row]) => row));
}

// In a table of scores each term, between commas, keeps the sets or the methods that contain it.
function filterScores(table, terms) {
  const heads = [...table.tHead.rows[0].cells].map((cell) => plain(cell.dataset.name ?? ""));
  const rows = [...table.tBodies[0].rows];
  const names = rows.map((row) => plain(row.cells[0].textContent));
  const sets = terms.filter((term) => names.some((name) => name.includes(term)));
  const methods = terms.filter((term) => heads.some((name) => name.includes(term)));
  const hit = (name, wanted) => wanted.length === 0 || wanted.some((term) => name.includes(term));
  rows.forEach((row, i) => { row.hidden = !hit(names[i], sets); });
  for (const row of table.rows)
    [...row.cells].forEach((cell, i) => { cell.hidden = i > 0 && !hit(heads[i], methods); });
  return terms.filter((term) => !sets.includes(term) && !methods.includes(term));
}

// In a list every term must stand somewhere in the row.
function filterList(table, terms, verdict) {
  let shown = 0;
  for (const row of table.tBodies[0].rows) {
    const text = plain(row.textContent);
    row.hidden = !(terms.every((term) => text.includes(term)) && (!verdict || row.dataset.verdict === verdict));
    shown += !row.hidden;
  }
  return shown;
}

function update(section) {
  const say = section.querySelector("output") ?? {};
  const measure = section.querySelector("select[data-choose=measure]")?.value ?? "";
  const verdict = section.querySelector("select[data-choose=verdict]")?.value ?? "";
  const terms = (section.querySelector("input[type=search]")?.value ?? "").split(",").map(plain).filter(Boolean);
  for (const panel of section.querySelectorAll("[data-measure]"))
    panel.hidden = measure !== "" && panel.dataset.measure !== measure;
  const unknown = [...section.querySelectorAll("table.scores")].map((table) => filterScores(table, terms));
  for (const table of section.querySelectorAll("table.list")) {
    const shown = filterList(table, terms, verdict);
    say.textContent = `${shown} of ${table.tBodies[0].rows.length} rows`;
  }
  if (unknown.length) {
    const lost = terms.filter((term) => unknown.every((list) => list.includes(term)));
    say.textContent = lost.length ? `No set or method contains “${lost.join("”, “")}”.` : "";
  }
}

for (const head of document.querySelectorAll("table.sortable thead th")) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...head.firstChild ? [head.firstChild] : []);
  head.prepend(button);
  head.setAttribute("aria-sort", "none");
  button.addEventListener("click", () => sortBy(button));
}
for (const section of document.querySelectorAll("[data-controlled]")) {
  section.querySelector(".controls").hidden = false;
  section.addEventListener("input", () => update(section));
  update(section);
}
