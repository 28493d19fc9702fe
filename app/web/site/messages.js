"use strict";
// Other pages hand over files by postMessage: they send "PING" until "PONG" comes back, then {strata: {name, data}} with
// data a Blob, an ArrayBuffer or an array of bytes. Which page may do so is asked once for each origin.
(() => {
	const stored = () => {
		try {
			return JSON.parse(localStorage.getItem("strata.origins")) || [];
		} catch {
			return [];
		}
	};
	const ask = (origin) => new Promise((resolve) => {
		const dialog = document.createElement("dialog");
		const text = document.createElement("p");
		text.textContent = `${origin === "null" ? "Another page" : origin} wants to open a file here. ` +
			"It stays in this page; nothing is sent back.";
		const button = (label, answer) => {
			const b = document.createElement("button");
			b.textContent = label;
			b.onclick = () => { dialog.close(); dialog.remove(); resolve(answer); };
			return b;
		};
		dialog.append(text, button("Open", true), button("Refuse", false));
		dialog.oncancel = () => { dialog.remove(); resolve(false); };
		document.body.append(dialog);
		dialog.showModal();
	});
	const asking = new Map();
	const allowed = (origin) => {
		if (origin === location.origin && origin !== "null" || stored().includes(origin)) return Promise.resolve(true);
		if (!asking.has(origin)) {
			asking.set(origin, ask(origin).then((yes) => {
				asking.delete(origin);
				if (yes && origin !== "null") localStorage.setItem("strata.origins", JSON.stringify([...stored(), origin]));
				return yes;
			}));
		}
		return asking.get(origin);
	};
	addEventListener("message", async ({ data, origin, source }) => {
		if (data === "PING" && source) {
			source.postMessage("PONG", origin === "null" ? "*" : origin);
			return;
		}
		const given = data && typeof data === "object" && data.strata;
		if (!given || !(given.data instanceof Blob || given.data instanceof ArrayBuffer || ArrayBuffer.isView(given.data))) return;
		if (!await allowed(origin)) return;
		const name = String(given.name || "snapshot.pickle").split("/").pop();
		strata.open([strata.mount(new File([given.data], name, { lastModified: given.lastModified || 1 }))]);
	});
})();
