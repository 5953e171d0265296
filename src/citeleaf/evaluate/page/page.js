"use strict";
(() => {
  const form = document.getElementById("filters");
  const list = document.getElementById("list");
  const rows = Array.from(list.children, (element, place) => ({
    element, place, text: null, chosen: element.querySelector(".chosen"), data: element.dataset,
    figures: new Map(element.dataset.figures.split(" ").filter(Boolean).map((pair) => {
      const at = pair.lastIndexOf("=");
      return [pair.slice(0, at), Number(pair.slice(at + 1))];
    })),
  }));
  const control = (name) => form.elements.namedItem(name);
  const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const words = (row) => (row.text ??= folded(row.element.textContent));
  const label = (value) => (value === "" ? "" : value.replace(/_/g, " "));

  for (const link of document.querySelectorAll("a[data-show]")) link.href = "#rows?" + link.dataset.show;

  function worst(row, names, high) {
    const values = names.filter((name) => row.figures.has(name)).map((name) => row.figures.get(name));
    return values.length ? Math[high ? "max" : "min"](...values) : null;
  }

  function written(name, value) {
    if (!name.startsWith("seconds.")) return value.toFixed(3);
    return value >= 1 ? value.toFixed(2) + " s" : value >= 0.001 ? (1000 * value).toFixed(0) + " ms" : "< 1 ms";
  }

  function apply() {
    const wanted = Object.fromEntries(new FormData(form));
    const search = folded(wanted.q || "").split(/\s+/).filter(Boolean);
    const names = (wanted.figure || "").split(" ").filter(Boolean);
    const option = control("figure").selectedOptions[0];
    const high = option !== undefined && option.dataset.worst === "high";
    let shown = 0;
    for (const row of rows) {
      row.value = worst(row, names, high);
      const fits = ["outcome", "expected", "category", "benchmark"].every((n) => !wanted[n] || row.data[n] === wanted[n])
        && (!wanted.failed || "failed" in row.data)
        && (!wanted.changed || "changed" in row.data)
        && (names.length === 0 || row.value !== null)
        && search.every((word) => words(row).includes(word));
      row.element.hidden = !fits;
      shown += fits ? 1 : 0;
      row.chosen.textContent = names.length && row.value !== null
        ? option.textContent + " " + written(names[0], row.value) : "";
    }
    const order = rows.slice();
    if (names.length) order.sort((a, b) => (high ? b.value - a.value : a.value - b.value) || a.place - b.place);
    if (order.some((row, i) => list.children[i] !== row.element)) list.append(...order.map((row) => row.element));
    const named = Object.entries(wanted).filter(([, value]) => value !== "");
    const told = named.map(([name, value]) => name === "q" ? "\u201c" + value + "\u201d"
      : name === "failed" || name === "changed" ? name
      : name === "figure" ? "with the figure " + option.textContent + ", worst first" : name + " " + label(value));
    document.getElementById("count").textContent = shown + " of " + rows.length + " rows"
      + (told.length ? ": " + told.join(", ") : "");
    document.getElementById("none").hidden = shown > 0;
    const query = new URLSearchParams(named).toString();
    return query ? "#rows?" + query : "#rows";
  }

  function set(query) {
    form.reset();
    for (const [name, value] of new URLSearchParams(query)) {
      const found = control(name);
      if (!found) continue;
      if (found.type === "checkbox") found.checked = value === "1";
      else found.value = value;
      if (found.tagName === "SELECT" && found.selectedIndex < 0) found.value = "";
    }
    apply();
  }

  function follow() {
    const hash = location.hash;
    if (hash.startsWith("#rows?")) {
      set(hash.slice(6));
      const title = document.getElementById("rows-title");
      title.scrollIntoView();
      title.focus({ preventScroll: true });
    } else if (hash.startsWith("#row-")) {
      const target = document.getElementById(hash.slice(1));
      const row = target && target.closest("details.row");
      if (!row) return;
      if (row.hidden) { form.reset(); apply(); }
      row.open = true;
      target.scrollIntoView();
      (target === row ? row.querySelector("summary") : target).focus({ preventScroll: true });
    }
  }

  function keep() {
    const hash = apply();
    try { history.replaceState(null, "", hash); } catch { /* a page opened without an address keeps no state */ }
  }

  function step(by) {
    const open = rows.map((row) => row.element).filter((element) => !element.hidden);
    const order = Array.from(list.children).filter((element) => open.includes(element));
    const here = order.indexOf(document.activeElement && document.activeElement.closest("details.row"));
    const next = order[here < 0 ? 0 : Math.min(order.length - 1, Math.max(0, here + by))];
    if (!next) return;
    const summary = next.querySelector("summary");
    summary.focus();
    summary.scrollIntoView({ block: "nearest" });
  }

  let waiting = 0;
  form.addEventListener("input", (event) => {
    clearTimeout(waiting);
    waiting = setTimeout(keep, event.target.name === "q" ? 120 : 0);
  });
  form.addEventListener("reset", () => setTimeout(keep, 0));
  form.addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("open-all").addEventListener("click", () => {
    const shown = rows.filter((row) => !row.element.hidden);
    const open = shown.some((row) => !row.element.open);
    for (const row of shown) row.element.open = open;
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== "checkbox";
    if (typing) {
      if (event.key === "Escape" && event.target.name === "q") { event.target.value = ""; keep(); }
      return;
    }
    if (event.key === "/") { event.preventDefault(); control("q").focus(); }
    else if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
  });
  addEventListener("hashchange", follow);
  document.documentElement.classList.add("scripted");
  apply();
  follow();
})();
