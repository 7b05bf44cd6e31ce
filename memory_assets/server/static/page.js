// What a key opens: the file, search, a memory with its history and sources, contradictions, what was curated.
// Every word of a memory is put in as text, never as HTML.

const KEY = "memory-assets key";
const REFERENCE = /\[(\d{9})\]/g;
const main = document.getElementById("main");
const problem = document.getElementById("problem");

/** An element with properties and children; a string is text. */
function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

async function ask(path, body) {
  const request = { headers: { Authorization: `Bearer ${sessionStorage.getItem(KEY) ?? ""}` } };
  if (body !== undefined) {
    Object.assign(request, { method: "POST", body: JSON.stringify(body) });
    request.headers["Content-Type"] = "application/json";
  }
  const response = await fetch(path, request);
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  if (response.status === 401) askForKey();
  throw new Error(answer.error ?? `The server answered ${response.status}.`);
}

/** Text in which each [482915037] opens that memory. */
function linked(text) {
  const parts = [];
  let after = 0;
  for (const match of text.matchAll(REFERENCE)) {
    parts.push(text.slice(after, match.index), reference(match[1]));
    after = match.index + match[0].length;
  }
  return [...parts, text.slice(after)];
}

const reference = (ref) => make("a", { href: `#memory/${ref}` }, `[${ref}]`);
const day = (instant) => (instant ? String(instant).slice(0, 10) : "");
const named = (name) => name.replaceAll("_", " ");

/** The lines of a file or an answer: headings, list items, paragraphs. */
function lines(text) {
  const nodes = [];
  let list = null;
  for (const line of text.split("\n")) {
    const heading = /^(#{1,6}) (.*)/.exec(line);
    const item = /^\s*- (.*)/.exec(line);
    if (!item) list = null;
    if (heading?.[1] === "#") continue; // the page's own title says it
    if (heading) nodes.push(make("h2", {}, ...linked(heading[2])));
    else if (item) {
      if (!list) nodes.push((list = make("ul")));
      list.append(make("li", {}, ...linked(item[1])));
    } else if (line.trim() && !line.startsWith("<!--")) nodes.push(make("p", {}, ...linked(line)));
  }
  return nodes;
}

/** A row of an answer on one line: what it says, its day, its reference. */
function row(held) {
  if (held.line) return make("li", {}, ...linked(held.line));
  const words = held.text ?? held.title ?? held.name ?? "";
  const ref = held.ref ?? held.other_ref;
  const rest = Object.entries(held).filter(([name, one]) => !["text", "title", "name", "ref", "other_ref", "at"].includes(name) && shown(name, one));
  const more = rest.map(([name, one]) => `${named(name)}: ${typeof one === "object" ? JSON.stringify(one) : one}`).join(", ");
  return make("li", {}, make("span", { className: "soft" }, held.at ? `${day(held.at)} ` : ""), ...linked(String(words)), " ", ref ? reference(String(ref)) : "", more ? make("span", { className: "soft" }, ` ${more}`) : "");
}

/** A value of an answer as nodes. */
function value(name, held) {
  if (Array.isArray(held)) {
    const listed = held.some((one) => one !== null && typeof one === "object");
    return listed ? [make("ul", {}, ...held.map(row))] : value(name, held.join(", "));
  }
  if (typeof held === "object") return [details(held)];
  if (/(^|_)ref$/.test(name) && /^\d{9}$/.test(held)) return [reference(String(held))];
  if (/(^|_)at$/.test(name)) return [day(held)];
  return linked(String(held));
}

/** Whether a value says anything to a person. */
function shown(name, one) {
  const isEmpty = one === null || one === undefined || one === "" || one === false || one === 0 || (Array.isArray(one) && !one.length);
  return !isEmpty && !/(^|_)(id|key|hash|embedding|position|turn)$/.test(name);
}

function details(held) {
  const list = make("dl");
  for (const [name, one] of Object.entries(held)) {
    if (shown(name, one)) list.append(make("dt", {}, named(name)), make("dd", {}, ...value(name, one)));
  }
  return list;
}

function table(columns, rows) {
  const head = make("tr", {}, ...columns.map((column) => make("th", {}, named(column))));
  const cell = (held, column) => make("td", {}, ...(shown("", held[column]) ? value(column, held[column]) : []));
  const body = rows.map((held) => make("tr", {}, ...columns.map((column) => cell(held, column))));
  return make("table", {}, make("thead", {}, head), make("tbody", {}, ...body));
}

const views = {
  async file() {
    const file = await ask("file");
    if (!file.text) return [make("p", {}, "No file is published yet: the next run writes it.")];
    return [make("p", { className: "soft", title: file.path }, `MEMORY.md, ${file.tokens} of ${file.limit} tokens`), ...lines(file.text)];
  },

  async search(question) {
    const found = await ask("recall", { question });
    const note = found.abstained ? "Nothing relevant was found. The nearest:" : `${found.tokens} tokens in ${Math.round(found.took_ms)} ms`;
    return [make("p", { className: "soft" }, note), ...lines(found.text)];
  },

  async memory(place) {
    const [ref, from] = place.split("/");
    const path = `memories/${encodeURIComponent(ref)}`;
    const { text, kind, ref: _, more, ...rest } = await ask(`${path}?more=${encodeURIComponent(from ?? "")}`);
    const worth = await ask(`${path}/value`).catch(() => null);  // a name has none
    const terms = (worth?.terms ?? []).map((one) => ({ ...one, points: String(one.points) }));
    const score = worth ? [make("h3", {}, `Value ${worth.score}: ${worth.action}`), table(["term", "points", "from"], terms)] : [];
    const whole = typeof text === "string" ? [make("blockquote", {}, ...linked(text))] : [];
    return [make("h2", {}, `${named(kind ?? "memory")} ${ref}`), ...whole, details(rest), more ? make("a", { href: `#memory/${ref}/${more}` }, "more") : "", ...score];
  },

  async contradictions() {
    const [open, settled] = await Promise.all(["open", "resolved"].map((status) => ask(`contradictions?status=${status}`)));
    const none = open.contradictions.length ? "" : make("p", {}, "Nothing contradicts anything.");
    const past = settled.contradictions.length ? make("h2", {}, "Settled") : "";
    return [none, ...open.contradictions.map((one) => pair(one, settling(one.id))), past, ...settled.contradictions.map((one) => pair(one, undoing(one)))];
  },

  async curated() {
    const { cuts } = await ask("curation");
    if (!cuts.length) return [make("p", {}, "Curation has cut nothing that could be brought back.")];
    return [make("p", { className: "soft" }, "What was cut in the last 30 days. `memory-assets restore AUDIT` brings it back."), table(["cut_at", "action", "label", "ref", "reason", "restored_at", "audit"], cuts)];
  },
};

/** What two statements say, and what can be done about it. */
function pair(one, form) {
  const side = (said) => make("blockquote", {}, said.text, "\n", make("span", { className: "soft" }, [day(said.said_at), said.by].filter(Boolean).join(", ")), " ", said.ref ? reference(said.ref) : "");
  return make("article", {},
    make("p", { className: "soft" }, `${one.kind ?? "contradiction"}, found on ${day(one.detected_at)}`),
    make("div", { className: "pair" }, side(one.a), side(one.b)),
    form);
}

const CHOICES = { a_wins: "The first holds", b_wins: "The second holds", both_valid: "Both hold", merged: "My own words hold" };

function settling(id) {
  const note = make("input", { name: "note", placeholder: "Why, or what holds of both", ariaLabel: "Why, or what holds of both" });
  const path = `contradictions/${encodeURIComponent(id)}/resolve`;
  const said = (resolution) => ({ resolution, [resolution === "merged" ? "text" : "note"]: note.value });
  const choice = ([resolution, shown]) => action(shown, () => ask(path, said(resolution)));
  return unsent(make("form", {}, note, ...Object.entries(CHOICES).map(choice)));
}

function undoing(one) {
  return unsent(make("form", {}, `${CHOICES[one.resolution]} `, action("Undo", () => ask(`memories/${encodeURIComponent(one.id)}/undo`, {}))));
}

/** A button that changes something; what is shown follows. */
function action(shown, change) {
  const button = make("button", { type: "button" }, shown);
  button.addEventListener("click", () => attempt(async () => {
    await change();
    await Promise.all([show(), greet()]);
  }));
  return button;
}

function unsent(form) {
  form.addEventListener("submit", (event) => event.preventDefault());
  return form;
}

async function attempt(what) {
  try {
    problem.hidden = true;
    await what();
  } catch (error) {
    problem.textContent = error.message;
    problem.hidden = false;
  }
}

let asked = 0;

async function show() {
  const [name, ...rest] = decodeURIComponent(location.hash.slice(1) || "file").split("/");
  const view = views[name] ?? views.file;
  for (const tab of document.querySelectorAll("nav a")) tab.toggleAttribute("aria-current", tab.hash === `#${name}`);
  const number = ++asked;
  const shown = await view(rest.join("/"));
  if (number === asked) main.replaceChildren(...shown);
}

async function greet() {
  const status = await ask("status");
  document.getElementById("of").textContent = `of ${status.user}`;
  document.getElementById("open").textContent = status.contradictions ? `(${status.contradictions})` : "";
  document.title = `Memory of ${status.user}`;
  for (const id of ["tabs", "search"]) document.getElementById(id).hidden = false;
  document.getElementById("key").hidden = true;
}

function askForKey() {
  sessionStorage.removeItem(KEY);
  main.replaceChildren();
  for (const id of ["tabs", "search"]) document.getElementById(id).hidden = true;
  document.getElementById("key").hidden = false;
}

/** A key in the address is taken out of it at once: no server, history or screenshot has it. */
function takeKey() {
  const match = /^#key=(.+)$/.exec(location.hash);
  if (!match) return;
  sessionStorage.setItem(KEY, decodeURIComponent(match[1]));
  history.replaceState(null, "", location.pathname);
}

async function begin() {
  takeKey();
  if (!sessionStorage.getItem(KEY)) return askForKey();
  await greet();
  await show();
}

document.getElementById("search").addEventListener("submit", (event) => {
  event.preventDefault();
  location.hash = `search/${encodeURIComponent(new FormData(event.target).get("question"))}`;
});
document.getElementById("key").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem(KEY, new FormData(event.target).get("key").trim());
  attempt(begin);
});
addEventListener("hashchange", () => attempt(async () => (location.hash.startsWith("#key=") ? begin() : show())));
attempt(begin);
