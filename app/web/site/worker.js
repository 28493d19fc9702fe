"use strict";
// Reads a file: the same program in a memory and on a thread of its own. It ends with the entry of the cache that the
// program left, or with an error.
onmessage = async ({ data: { module, argument, path, node } }) => {
	fs.mount(path, node);
	const size = node.blob.size;
	let read = 0, decoded = 0, told = 0;
	const tell = () => { // reading and decoding are a half each
		if (performance.now() - told < 50) return;
		told = performance.now();
		postMessage({ progress: [(Math.min(read, size) + decoded) / 2, size] });
	};
	fs.onread = (n) => { read += n; tell(); };
	globalThis.progress = (done) => { decoded = done; tell(); };
	let error = null;
	globalThis.failed = (text) => { error = text; };
	const go = new Go();
	go.argv = ["strata", "read", argument];
	go.env = { HOME: "/home/web", TMPDIR: "/tmp" };
	let code = 0;
	go.exit = (c) => { code = c; };
	await go.run(await WebAssembly.instantiate(module, go.importObject));
	if (code !== 0 && error === null) {
		error = fs.lines.find((l) => /^(fatal error|panic|runtime):/.test(l)) || `it ended with ${code}`;
	}
	if (error !== null) {
		postMessage({ error });
		return;
	}
	const entries = fs.paths("/home/web/.cache/").filter((p) => p.endsWith(".columns")).map((p) => [p, fs.contents(p)]);
	postMessage({ entries }, entries.map(([, bytes]) => bytes.buffer));
};
