// The page works as plain pages and forms. This adds what these cannot do: to enter by the key in
// the address, to drop a file, and to show again what changed while one looks.
"use strict";
(() => {
	const enter = document.getElementById("enter");
	if (enter) {
		const token = location.hash.slice(1);
		const known = () => { try { return localStorage.getItem("mingle"); } catch { return null; } };
		const refused = () => { enter.textContent = enter.dataset.refused; enter.className = "note bad"; };
		const again = async () => {
			const at = known();
			if (at && /^\/[0-9a-f]{32}\/$/.test(at) && (await fetch(at)).ok) location.replace(at);
			else if (token) refused();
		};
		addEventListener("hashchange", () => location.reload()); // the whole address, after a part of it
		if (!token) { again(); return; }
		fetch("/enter", { method: "POST", body: new URLSearchParams({ token }) }).then(async answer => {
			if (!answer.ok) return again();
			const at = await answer.text();
			try { localStorage.setItem("mingle", at); } catch { /* it is a convenience alone */ }
			location.replace(at);
		});
		return;
	}

	for (const form of document.querySelectorAll("[data-drop]")) {
		const input = form.querySelector("input[type=file]");
		const stop = e => { e.preventDefault(); };
		form.addEventListener("dragover", e => { stop(e); form.classList.add("over"); });
		form.addEventListener("dragleave", () => form.classList.remove("over"));
		form.addEventListener("drop", e => {
			stop(e);
			form.classList.remove("over");
			if (!e.dataTransfer.files.length) return;
			input.files = e.dataTransfer.files;
			form.requestSubmit();
		});
		form.addEventListener("submit", e => {
			if (!e.defaultPrevented) form.querySelector("button").setAttribute("aria-busy", "true");
		});
	}
	// a file that misses its place must not be opened in place of the page
	addEventListener("dragover", e => e.preventDefault());
	addEventListener("drop", e => e.preventDefault());

	document.addEventListener("click", e => {
		const at = e.target.closest("[data-ask]");
		if (at && !confirm(at.dataset.ask)) e.preventDefault();
	});

	// A double click sends a form once: else it would begin two runs. Where mingle has ended, what
	// was typed stays on the page. This is asked before the forms hear of it.
	const sent = new WeakMap(), lost = document.getElementById("lost");
	document.addEventListener("submit", e => {
		if (!lost.hidden || e.timeStamp - sent.get(e.target) < 1000) e.preventDefault();
		else sent.set(e.target, e.timeStamp);
	}, true);

	// what was typed and not kept is not lost by a click beside it
	for (const form of document.querySelectorAll("[data-keep]")) {
		let changed = false;
		form.addEventListener("input", () => {
			changed = true;
			for (const e of document.querySelectorAll("[data-kept]")) e.hidden = true;
			for (const e of document.querySelectorAll("[data-unkept]")) e.hidden = false;
		});
		form.addEventListener("submit", e => { if (!e.defaultPrevented) changed = false; });
		addEventListener("beforeunload", e => { if (changed) e.preventDefault(); });
	}

	if (location.search === "?saved") history.replaceState(null, "", location.pathname); // it is told once

	const step = document.querySelector(".steps [aria-current]");
	if (step) step.closest("ol").scrollLeft = step.offsetLeft - 60;

	const at = document.body.dataset.events;
	if (!at) return;
	let busy = false, more = false, said = "", version = document.body.dataset.version;
	const live = document.querySelector("[data-live]"); // others hear by the stream that mingle is there
	const refresh = async () => {
		if (!live) return;
		if (busy) { more = true; return; }
		busy = true;
		try {
			const answer = await fetch(location.href, { headers: { Accept: "text/html", "Mingle-Live": "1" } });
			if (answer.ok || answer.status === 422) {
				const page = new DOMParser().parseFromString(await answer.text(), "text/html");
				for (const old of document.querySelectorAll("[data-live]")) put(old, page.getElementById(old.id));
				version = page.body.dataset.version;
				const steps = document.querySelector(".steps"), now = page.querySelector(".steps");
				if (steps && now && steps.innerHTML !== now.innerHTML) steps.replaceWith(document.importNode(now, true));
			}
		} catch { /* the stream tells when the server is gone */ }
		busy = false;
		if (more) { more = false; refresh(); }
	};
	const put = (old, now) => {
		if (!now || old.innerHTML === now.innerHTML) return;
		const fields = "input, textarea, select"; // what was filled in stays
		const had = old.querySelectorAll(fields).length;
		if (had && had === now.querySelectorAll(fields).length) return; // live parts in it are put apart
		const held = old.contains(document.activeElement) && document.activeElement.getAttribute("href");
		old.innerHTML = now.innerHTML; // made by the same templates, which escape all that is not ours
		if (held) old.querySelector(`[href="${CSS.escape(held)}"]`)?.focus();
		const told = old.querySelector("[data-say]");
		if (told && !told.querySelector("progress") && told.textContent !== said && !told.matches("p:has(.more)")) {
			said = told.textContent;
			document.getElementById("said").textContent = said;
		}
	};
	// A browser has six connections to a server, and a stream holds one: a page that is out of sight
	// has none, and hears what it missed when it is looked at again.
	let stream = null, first = true;
	const listen = () => {
		if (stream || document.hidden) return;
		const opened = stream = new EventSource(at);
		first = true;
		opened.addEventListener("changed", e => {
			lost.hidden = true;
			first = false;
			if (e.data !== version) refresh();
		});
		const gone = () => { if (stream === opened && opened.readyState !== EventSource.OPEN) lost.hidden = false; };
		// before the first word of the server the browser may try again, in about three seconds
		opened.addEventListener("error", () => { setTimeout(gone, first && opened.readyState !== EventSource.CLOSED ? 5000 : 1500); });
	};
	const rest = () => { stream?.close(); stream = null; };
	document.addEventListener("visibilitychange", () => { if (document.hidden) rest(); else listen(); });
	addEventListener("pagehide", rest);
	addEventListener("pageshow", e => { if (e.persisted) { listen(); refresh(); } });
	listen();
})();
