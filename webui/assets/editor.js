// The editor of a hierarchy: a tree of which only what is in sight is drawn, so that 40,000 items
// are as smooth as forty. What is saved is judged by the server.
"use strict";
(async () => {
	const root = document.getElementById("editor"), view = document.getElementById("tree");
	const space = document.getElementById("space"), status = document.getElementById("status");
	const say = root.dataset.said.split("|"), [MOVED, RENAMED, MADE, UNDONE, CUT, SAVED, NONE, TAKEN, LEAF, SELF, NEWNAME, RENAME, LOOSE, ITEMS, UNREAD, UNSAVED] = say.keys();
	// lang is that of a text that is not in the language of the page
	const show = (text, lang) => { status.textContent = text; if (lang) status.lang = lang; else status.removeAttribute("lang"); };
	const tell = (n, what) => show((what ? what + ": " : "") + say[n]);
	// what was asked for; undefined where that failed, which is told
	const ask = async (n, at, how) => {
		let answer;
		try {
			answer = await fetch(at, how);
			if (answer.ok) return answer;
			const page = new DOMParser().parseFromString(await answer.text(), "text/html");
			const note = page.querySelector(".note");
			if (note?.textContent) show(note.textContent, note.querySelector("[lang]")?.lang); else show(say[n] + ": " + answer.status);
		} catch { tell(n); } // nobody answers
	};
	const answer = await ask(UNREAD, root.dataset.tree);
	if (!answer) return;
	const data = await answer.json();
	const high = 28;
	let nodes = data.labels.map((label, i) => ({ label, parent: null, children: data.leaves[i] ? null : [], open: i === 0, count: 0 }));
	nodes.forEach((n, i) => { const p = nodes[data.parents[i]]; if (p) { n.parent = p; p.children.push(n); } });
	const top = nodes[0];
	let loose = null;
	if (data.missing && data.missing.length) {
		loose = { label: "", parent: top, children: [], open: true, count: 0 };
		for (const label of data.missing) { const n = { label, parent: loose, children: null }; loose.children.push(n); nodes.push(n); }
		top.children.unshift(loose);
	}
	const labels = new Map();
	const index = () => { labels.clear(); walk(top, n => { if (n !== loose) labels.set(n.label, n); }); };
	const walk = (n, f, depth = 0) => { f(n, depth); if (n.children) for (const c of n.children) walk(c, f, depth + 1); };
	const count = n => n.children ? n.count = n.children.reduce((s, c) => s + count(c), 0) : 1;
	let rows = [], now = top, held = null, undo = [], changed = false;
	const rebuild = () => {
		count(top);
		rows = [];
		const add = (n, depth) => { rows.push({ n, depth }); if (n.children && n.open) for (const c of n.children) add(c, depth + 1); };
		add(top, 0);
		space.style.height = rows.length * high + "px";
		draw();
	};
	const row = n => rows.findIndex(r => r.n === n);
	let waiting = false;
	const draw = () => { if (!waiting) { waiting = true; requestAnimationFrame(paint); } };
	const paint = () => {
		waiting = false;
		const from = Math.max(0, Math.floor(view.scrollTop / high) - 6), to = Math.min(rows.length, from + Math.ceil(view.clientHeight / high) + 12);
		const part = document.createDocumentFragment();
		for (let i = from; i < to; i++) {
			const { n, depth } = rows[i], e = document.createElement("div");
			e.className = "node" + (n.children ? " group" : "") + (n === now ? " now" : "") + (n === held ? " held" : "");
			e.style.top = i * high + "px";
			e.style.paddingLeft = depth * 18 + 6 + "px";
			e.id = "row" + i;
			e.dataset.row = i;
			e.draggable = n !== top && n !== loose;
			e.setAttribute("role", "treeitem");
			e.setAttribute("aria-level", depth + 1);
			e.setAttribute("aria-selected", n === now);
			if (n.children) e.setAttribute("aria-expanded", n.open);
			const siblings = n.parent ? n.parent.children : [n];
			e.setAttribute("aria-setsize", siblings.length);
			e.setAttribute("aria-posinset", siblings.indexOf(n) + 1);
			const mark = document.createElement("b");
			mark.textContent = n.children ? (n.open ? "▾" : "▸") : "";
			mark.setAttribute("aria-hidden", "true");
			e.append(mark, n === loose ? say[LOOSE] : n.label);
			if (n.children) { const c = document.createElement("i"); c.textContent = n.count + " " + say[ITEMS]; e.append(c); }
			part.append(e);
		}
		space.replaceChildren(part);
		const at = row(now);
		if (at >= from && at < to) view.setAttribute("aria-activedescendant", "row" + at); else view.removeAttribute("aria-activedescendant");
	};
	const go = n => {
		now = n;
		for (let p = n.parent; p; p = p.parent) if (!p.open) p.open = true;
		rebuild();
		const at = row(n) * high;
		if (at < view.scrollTop) view.scrollTop = at;
		else if (at + high > view.scrollTop + view.clientHeight) view.scrollTop = at + high - view.clientHeight;
	};
	const did = back => { undo.push(back); changed = true; undoButton.disabled = false; saveButton.disabled = false; };
	const inside = (n, g) => { for (let p = g; p; p = p.parent) if (p === n) return true; return false; };
	const move = (n, g) => {
		if (!g.children || g === loose) return tell(LEAF, g.label);
		if (inside(n, g)) return tell(SELF, n.label);
		const from = n.parent, at = from.children.indexOf(n);
		from.children.splice(at, 1);
		g.children.push(n);
		n.parent = g;
		did(() => { g.children.splice(g.children.indexOf(n), 1); from.children.splice(at, 0, n); n.parent = from; return n; });
		held = null;
		tell(MOVED, n.label);
		go(n);
	};
	const asked = (question, value) => { const text = prompt(question, value); return text && text.trim(); };
	const rename = n => {
		if (n === loose || !n.children) return tell(LEAF, n.label);
		const text = asked(say[RENAME], n.label), before = n.label;
		if (!text || text === before) return;
		index();
		if (labels.has(text)) return tell(TAKEN, text);
		n.label = text;
		did(() => { n.label = before; return n; });
		tell(RENAMED, text);
		rebuild();
	};
	const group = n => {
		const above = n.children && n !== loose ? n : n.parent === loose ? top : n.parent || top, text = asked(say[NEWNAME], "");
		if (!text) return;
		index();
		if (labels.has(text)) return tell(TAKEN, text);
		const g = { label: text, parent: above, children: [], open: true, count: 0 };
		above.children.push(g);
		did(() => { above.children.splice(above.children.indexOf(g), 1); return above; });
		tell(MADE, text);
		go(g);
	};
	const back = () => { const f = undo.pop(); if (!f) return; const n = f(); tell(UNDONE); undoButton.disabled = !undo.length; go(n); };
	const cut = n => { if (n === top || n === loose) return; held = n; tell(CUT, n.label); draw(); };
	const put = n => { if (held) move(held, n.children ? n : n.parent); };
	const find = from => {
		const text = findField.value.trim().toLowerCase();
		if (!text) return;
		const all = [];
		walk(top, n => { if (n !== loose) all.push(n); });
		const start = all.indexOf(now) + from;
		for (let i = 0; i < all.length; i++) {
			const n = all[(start + i + all.length) % all.length];
			if (n.label.toLowerCase().includes(text)) { go(n); show(n.label); return; }
		}
		tell(NONE, findField.value);
	};
	const save = async () => {
		const labels = [], parents = [];
		const add = (n, p) => {
			if (n === loose || n.children && !n.count) return; // what has no item has no place
			const at = labels.push(n.label) - 1;
			parents.push(p);
			if (n.children) for (const c of n.children) add(c, at);
		};
		count(top);
		add(top, -1);
		const tree = JSON.stringify({ of: data.of, labels, parents });
		if (!await ask(UNSAVED, root.dataset.save, { method: "POST", body: new URLSearchParams({ tree }) })) return;
		changed = false;
		location.href = root.dataset.done;
	};
	const button = (id, f) => { const b = document.getElementById(id); b.addEventListener("click", f); return b; };
	const findField = document.getElementById("find");
	findField.addEventListener("input", () => find(0));
	findField.addEventListener("keydown", e => { if (e.key === "Enter") { e.preventDefault(); find(1); } });
	button("next", () => find(1));
	button("cut", () => cut(now));
	button("put", () => put(now));
	button("name", () => rename(now));
	button("new", () => group(now));
	const undoButton = button("undo", back), saveButton = button("save", save);
	saveButton.disabled = !loose;
	view.addEventListener("scroll", draw, { passive: true });
	view.addEventListener("click", e => {
		const hit = e.target.closest(".node");
		if (!hit) return;
		const n = rows[hit.dataset.row].n;
		now = n;
		if (n.children && e.target.matches("b")) { n.open = !n.open; rebuild(); } else draw();
	});
	view.addEventListener("dblclick", e => { const hit = e.target.closest(".node"); if (hit && rows[hit.dataset.row].n.children && !e.target.matches("b")) { const n = rows[hit.dataset.row].n; n.open = !n.open; rebuild(); } });
	view.addEventListener("dragstart", e => { const hit = e.target.closest(".node"); if (hit) { held = rows[hit.dataset.row].n; e.dataTransfer.effectAllowed = "move"; e.dataTransfer.setData("text/plain", held.label); } });
	view.addEventListener("dragover", e => { const hit = e.target.closest(".node"); if (hit && held) { e.preventDefault(); space.querySelectorAll(".over").forEach(o => o.classList.remove("over")); hit.classList.add("over"); } });
	view.addEventListener("drop", e => { const hit = e.target.closest(".node"); if (hit && held) { e.preventDefault(); e.stopPropagation(); put(rows[hit.dataset.row].n); } });
	view.addEventListener("keydown", e => {
		const at = row(now), n = now;
		const to = i => go(rows[Math.max(0, Math.min(rows.length - 1, i))].n);
		const page = Math.max(1, Math.floor(view.clientHeight / high) - 1);
		const keys = {
			ArrowDown: () => to(at + 1), ArrowUp: () => to(at - 1), Home: () => to(0), End: () => to(rows.length - 1), PageDown: () => to(at + page), PageUp: () => to(at - page),
			ArrowRight: () => { if (n.children && !n.open) { n.open = true; rebuild(); } else if (n.children && n.children.length) to(at + 1); },
			ArrowLeft: () => { if (n.children && n.open) { n.open = false; rebuild(); } else if (n.parent) go(n.parent); },
			Enter: () => { if (n.children) { n.open = !n.open; rebuild(); } }, F2: () => rename(n), Escape: () => { held = null; draw(); },
			x: () => cut(n), v: () => put(n), n: () => group(n),
		};
		if ((e.ctrlKey || e.metaKey) && e.key === "z") { e.preventDefault(); back(); return; }
		if (e.ctrlKey || e.metaKey || e.altKey) return;
		const f = keys[e.key] || keys[e.key.toLowerCase()];
		if (f) { e.preventDefault(); f(); }
	});
	addEventListener("beforeunload", e => { if (changed) e.preventDefault(); });
	rebuild();
	show(top.count + " " + say[ITEMS]);
})();
