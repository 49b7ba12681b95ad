// The items: their degrees as whole numbers, what is computed of them once and kept, and their order.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const n = data.names.length;
const c = data.labels.length;

function decode(text, Numbers) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return new Numbers(bytes.buffer);
}

const degrees = data.versions.map((version) => decode(version.degrees, Uint16Array));
const logical = data.logical === null ? null : decode(data.logical, Uint8Array);
const bounds = data.versions.map(({ lower, upper }) => lower && [lower, upper].map((text) => decode(text, Uint16Array)));
const degree = (version, item, label) => degrees[version][item * c + label] / data.steps;
const interval = (version, item, label) => bounds[version]?.map((bound) => bound[item * c + label] / data.steps);

// Return a function that computes a value the first time that it is asked for it.
function once(compute) {
  const known = new Map();
  return (...key) => {
    const name = key.join();
    if (!known.has(name)) known.set(name, compute(...key));
    return known.get(name);
  };
}

const everyItem = (value) => Float64Array.from({ length: n }, (_, item) => value(item));

const topLabels = once((version) => everyItem((item) => {
  let top = 0;
  for (let label = 1; label < c; label++) if (degree(version, item, label) > degree(version, item, top)) top = label;
  return top;
}));

const ambiguities = once((version) => everyItem((item) => {
  let entropy = 0;
  for (let label = 0; label < c; label++) {
    const share = degree(version, item, label);
    if (share > 0) entropy -= share * Math.log(share);
  }
  return Math.exp(entropy);
}));

const distances = once((one, other, by) => everyItem((item) => {
  let largest = 0, total = 0;
  for (let label = 0; label < c; label++) {
    const difference = Math.abs(degree(one, item, label) - degree(other, item, label));
    largest = Math.max(largest, difference);
    total += difference;
  }
  return by === "chebyshev" ? largest : total / 2; // which is 1 - intersection
}));

const furthestApart = once((one, other, by) => {
  const apart = distances(one, other, by);
  return [...apart.keys()].sort((i, j) => apart[j] - apart[i] || i - j).slice(0, 10);
});

const texts = once(() => data.names.map((name, item) =>
  [name, ...data.columns.map((column) => column.cells[item])].join("\n").toLowerCase()));

// Return the items that pass search and filter, in the order that is asked for.
function chosenItems({ search, label, sort, version, beside, by }) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = label === "" ? -1 : data.labels.indexOf(label);
  const items = [];
  for (let item = 0; item < n; item++) {
    if (wanted >= 0 && topLabels(version)[item] !== wanted) continue;
    if (words.length && !words.every((word) => texts()[item].includes(word))) continue;
    items.push(item);
  }
  if (sort === "table") return items;
  const key = sort === "ambiguous" || sort === "clear" ? ambiguities(version) : distances(version, beside, by);
  const sign = sort === "ambiguous" || sort === "apart" ? -1 : 1;
  return items.sort((one, other) => sign * (key[one] - key[other]) || one - other);
}
