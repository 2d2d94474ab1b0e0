// What pages do in the browser: their contents, search, and buttons that copy code. No library but
// Bootstrap, which the pages have anyway.
(() => {
  "use strict";

  const make = (tag, attributes = {}, text = "") => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.textContent = text;
    return element;
  };

  /* The contents of a page ----------------------------------------------------------------------- */

  const addTo = (list, heading) => {
    const item = make("li", { class: "nav-item" });
    const target = `#${encodeURIComponent(heading.id)}`;
    item.append(make("a", { class: "nav-link", href: target }, heading.textContent.trim()));
    list.append(item);
    return item;
  };

  // Marks the last heading that is at the top of the window or above it, and the one that it is below.
  const followScrolling = (headings, list) => {
    const links = new Map([...list.querySelectorAll("a")].map((link) => [link.hash.slice(1), link]));
    const linkOf = (heading) => links.get(encodeURIComponent(heading.id));
    const follow = () => {
      const passed = headings.filter((heading) => heading.getBoundingClientRect().top < 120);
      const current = passed.length > 0 ? linkOf(passed[passed.length - 1]) : undefined;
      const above = current?.closest("ul").previousElementSibling;
      links.forEach((link) => link.classList.toggle("active", link === current || link === above));
    };
    document.addEventListener("scroll", follow, { passive: true });
    follow();
  };

  // Headings of the highest level that the page has, with those of the next below.
  const fillContents = (contents) => {
    const headings = [...document.querySelectorAll("main h2[id], main h3[id]")];
    const list = make("ul", { class: "nav flex-column" });
    const top = headings.some((heading) => heading.tagName === "H2") ? "H2" : "H3";
    let below = null;
    for (const heading of headings) {
      if (heading.tagName === top) {
        below = make("ul", { class: "nav flex-column" });
        addTo(list, heading).append(below);
      } else if (below !== null) {
        addTo(below, heading);
      }
    }
    list.querySelectorAll("ul:empty").forEach((empty) => empty.remove());
    if (headings.length === 0) return contents.remove();
    contents.append(list);
    followScrolling(headings, list);
  };

  /* Buttons that copy code without its output ---------------------------------------------------- */

  const addCopyButton = (block) => {
    const button = make("button", { type: "button", class: "btn btn-primary btn-sm btn-copy-ex" }, "Copy");
    const code = block.textContent.replace(/\n?#>[^\n]*/g, "").trim();
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(code);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    block.classList.add("hasCopyButton");
    block.prepend(button);
  };

  /* Search --------------------------------------------------------------------------------------- */

  // How well an entry fits one word: names of pages before headings, headings before text.
  const scoreOf = (entry, word) => {
    const has = (field) => (entry[field] || "").toLowerCase().includes(word);
    const names = (entry.title || "").toLowerCase().split(/[^a-z0-9_.]+/);
    let score = names.includes(word) ? 8 : 0;
    if (has("title")) score += 4;
    if (has("what")) score += entry.what === entry.title ? 4 : 2;
    return score + (has("previous_headings") ? 1 : 0) + (has("text") || has("code") ? 1 : 0);
  };

  const find = (entries, query) => {
    const words = query.toLowerCase().replace(/[()?]/g, "").split(/\s+/).filter(Boolean);
    return entries
      .map((entry) => ({ entry, scores: words.map((word) => scoreOf(entry, word)) }))
      .filter(({ scores }) => scores.length > 0 && scores.every((score) => score > 0))
      .map(({ entry, scores }) => ({ entry, score: scores.reduce((sum, score) => sum + score) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, 20)
      .map(({ entry }) => entry);
  };

  const startSearch = (input) => {
    const index = input.dataset.searchIndex;
    const root = index.replace(/search\.json$/, "");
    const results = make("ul", { id: "search-results", role: "listbox", "aria-label": "Results", hidden: "" });
    let entries = null;
    let chosen = -1;

    const links = () => [...results.querySelectorAll("a")];
    const hide = () => {
      results.hidden = true;
      input.setAttribute("aria-expanded", "false");
    };
    const say = (text) => results.replaceChildren(make("li", { class: "search-none" }, text));
    const load = async () => {
      if (entries === null) entries = fetch(index).then((response) => response.json())
        .then((all) => all.filter((entry) => typeof entry.path === "string"));
      return entries;
    };

    const choose = (which) => {
      const all = links();
      if (all.length === 0) return;
      chosen = (which + all.length) % all.length;
      all.forEach((link, i) => link.parentElement.setAttribute("aria-selected", String(i === chosen)));
      all[chosen].scrollIntoView({ block: "nearest" });
      input.setAttribute("aria-activedescendant", all[chosen].parentElement.id);
    };

    const itemOf = (entry, i) => {
      const item = make("li", { id: `search-result-${i}`, role: "option", "aria-selected": "false" });
      const path = root + entry.path.replace(/^\/+/, "") + (entry.id && entry.id !== "NA" ? `#${entry.id}` : "");
      const link = make("a", { href: path, tabindex: "-1" });
      link.append(make("span", { class: "search-title" }, entry.title));
      const place = [entry.previous_headings, entry.what].filter((text) => text && text !== entry.title);
      if (place.length > 0) link.append(make("small", {}, place.join(" > ")));
      item.append(link);
      return item;
    };

    const show = async () => {
      const query = input.value.trim();
      if (query.length < 2) return hide();
      results.hidden = false;
      input.setAttribute("aria-expanded", "true");
      try {
        const found = find(await load(), query);
        if (query !== input.value.trim()) return;
        results.replaceChildren(...found.map(itemOf));
        chosen = -1;
        if (found.length === 0) say("Nothing is found.");
        else choose(0);
      } catch {
        entries = null;
        say("Search needs pages that come from a server, not from files.");
      }
    };

    const keys = {
      ArrowDown: () => choose(chosen + 1),
      ArrowUp: () => choose(chosen - 1),
      Escape: hide,
      Enter: () => { if (!results.hidden && chosen >= 0) links()[chosen]?.click(); },
    };
    input.addEventListener("input", show);
    input.addEventListener("keydown", (event) => {
      if (!(event.key in keys)) return;
      event.preventDefault();
      keys[event.key]();
    });
    document.addEventListener("click", (event) => {
      if (!results.contains(event.target) && event.target !== input) hide();
    });
    results.addEventListener("click", hide);
    Object.entries({ role: "combobox", "aria-label": "Search", "aria-controls": "search-results",
      "aria-expanded": "false" }).forEach(([name, value]) => input.setAttribute(name, value));
    input.parentElement.classList.add("search-form");
    input.after(results);
  };

  document.addEventListener("DOMContentLoaded", () => {
    const contents = document.getElementById("toc");
    if (contents !== null) fillContents(contents);
    if (navigator.clipboard) document.querySelectorAll("div.sourceCode").forEach(addCopyButton);
    const input = document.getElementById("search-input");
    if (input !== null) startSearch(input);
  });
})();
