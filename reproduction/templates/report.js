// Show the chosen measure, and the rows of lists that have the chosen verdict and contain the search text.
function update(section) {
  const value = (selector) => section.querySelector(selector)?.value.toLowerCase() ?? "";
  const measure = value("select[data-choose=measure]");
  const verdict = value("select[data-choose=verdict]");
  const text = value("input[type=search]");
  for (const part of section.querySelectorAll("[data-measure]"))
    part.hidden = measure !== "" && part.dataset.measure !== measure;
  for (const row of section.querySelectorAll("table.list tbody tr"))
    row.hidden = (verdict !== "" && row.dataset.verdict !== verdict) || !row.textContent.toLowerCase().includes(text);
}
for (const section of document.querySelectorAll("[data-controlled]")) {
  section.addEventListener("input", () => update(section));
  update(section);
}
