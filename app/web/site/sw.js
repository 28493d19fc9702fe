"use strict";
// Keeps the page for when there is no network. Names of files have hashes, but for the page itself, which is asked for
// anew each time.
const version = "{{.Version}}";
const files = {{.Files}};
addEventListener("install", (e) => e.waitUntil(caches.open(version).then((c) => c.addAll(files))));
addEventListener("activate", (e) => e.waitUntil(caches.keys().then((keys) =>
	Promise.all(keys.filter((k) => k.startsWith("strata-") && k !== version).map((k) => caches.delete(k))))
	.then(() => clients.claim())));
addEventListener("fetch", (e) => {
	const here = new URL("./", location).href;
	if (e.request.method !== "GET" || !e.request.url.startsWith(here)) return;
	const name = e.request.url.slice(here.length).replace(/[?#].*/, "");
	if (name === "" || name === "index.html") {
		e.respondWith(fetch(e.request).catch(() => caches.match("./", { ignoreSearch: true })));
	} else if (files.includes(name)) {
		e.respondWith(caches.match(e.request).then((kept) => kept || fetch(e.request)));
	}
});
