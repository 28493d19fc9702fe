"use strict";
// Starts the program. Beside the folder of files there is a form of the page that is one file: strata.inline then has
// what would be fetched.
(async () => {
	const wait = document.getElementById("wait");
	const data = document.documentElement.dataset;
	const settings = "/home/web/.config/strata/settings.json";
	const say = (text) => { wait.firstElementChild.textContent = text; };

	// The program has ended, which it does for want of memory or by a fault of its own.
	let dead = false;
	const died = (why) => {
		if (dead) return;
		dead = true;
		const text = [String(why), ...fs.lines].join("\n");
		wait.hidden = false;
		wait.className = "dead";
		say(/out of memory|Out of memory|cannot allocate/.test(text)
			? "Strata has stopped: the page ran out of memory. Files as big as this one need the native program."
			: "Strata has stopped by a fault of its own. Reload the page to begin anew.");
		const more = document.createElement("pre");
		more.textContent = text.slice(0, 4000);
		wait.append(more);
	};
	strata.died = died;
	addEventListener("error", (e) => {
		if (e.error instanceof WebAssembly.RuntimeError || e.error instanceof RangeError) died(e.error);
	});
	addEventListener("unhandledrejection", (e) => { if (e.reason instanceof WebAssembly.RuntimeError) died(e.reason); });

	if (!document.createElement("canvas").getContext("webgl2")) {
		say("Strata needs WebGL 2, which this browser does not have, or has switched off.");
		return;
	}

	// counted shows how much of the program has arrived.
	const counted = (stream, total) => {
		let done = 0;
		return stream.pipeThrough(new TransformStream({
			transform(piece, out) {
				done += piece.length;
				if (total) say(`Loading Strata … ${Math.round(100 * done / total)} %`);
				out.enqueue(piece);
			},
		}));
	};
	// unpacked is a stream without gzip; some servers have unpacked it already.
	const unpacked = async (stream) => {
		const [head, body] = stream.tee();
		const reader = head.getReader();
		const { value } = await reader.read();
		reader.cancel();
		return value && value[0] === 0x1f && value[1] === 0x8b ? body.pipeThrough(new DecompressionStream("gzip")) : body;
	};
	const compile = async () => {
		let packed;
		if (strata.inline) {
			packed = strata.inline.wasm();
		} else {
			const answer = await fetch(data.wasm);
			if (!answer.ok) throw new Error(`${data.wasm}: the server answers ${answer.status}`);
			packed = counted(answer.body, Number(data.bytes));
		}
		const headers = { "content-type": "application/wasm" };
		return WebAssembly.compileStreaming(new Response(await unpacked(packed), { headers }));
	};
	const module = compile();
	module.catch(() => {}); // told below

	// read has a worker read a file; told gets its progress, then how it ended. What is returned stops it.
	strata.read = (path, argument, told) => {
		const worker = new Worker(strata.inline ? strata.inline.worker() : data.worker);
		let over = false;
		const end = (answer) => {
			if (over) return;
			over = true;
			worker.terminate();
			told(answer);
		};
		worker.onmessage = ({ data: { progress, entries, error } }) => {
			if (over) return;
			if (progress) {
				told(...progress);
				return;
			}
			for (const [entry, bytes] of entries || []) fs.mount(entry, { bytes });
			end(entries ? "" : error);
		};
		worker.onerror = (e) => { e.preventDefault(); end(e.message || "its worker could not be started"); };
		worker.onmessageerror = () => end("its worker's answer could not be read");
		const { blob, ino, mtime, ctime } = fs.nodeOf(path);
		module.then((m) => worker.postMessage({ module: m, argument, path, node: { blob, ino, mtime, ctime } }));
		return () => { over = true; worker.terminate(); };
	};

	const stored = (() => {
		try {
			return localStorage.getItem("strata.settings");
		} catch {
			return null; // a page that may not keep anything
		}
	})();
	// Files of an earlier visit are listed only where they can be opened again.
	const withoutGone = async (text) => {
		const kept = JSON.parse(text);
		await strata.restore(kept.recent || []).catch(() => {});
		kept.recent = (kept.recent || []).filter((path) => fs.nodeOf(path));
		return JSON.stringify(kept);
	};
	if (stored) {
		const bytes = new TextEncoder().encode(await withoutGone(stored).catch(() => stored));
		fs.mount(settings, { bytes });
	}
	fs.onwrite = (path) => {
		if (path === settings) {
			try {
				localStorage.setItem("strata.settings", new TextDecoder().decode(fs.contents(path)));
			} catch { /* nothing is kept, then */ }
		} else if (/^\/downloads\/[^/]+$/.test(path) && !/^\/downloads\/\./.test(path) && fs.nodeOf(path)) {
			strata.download(path);
		}
	};

	// ?file=PATH is a file beside the page, ?url=ADDRESS any other, which only some pages are built to ask for.
	const asked = new URLSearchParams(location.search);
	const fetched = async (address) => {
		const answer = await fetch(address);
		if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
		const name = decodeURIComponent(new URL(answer.url).pathname.split("/").pop()) || "snapshot";
		return strata.mount(new File([await answer.blob()], name, { lastModified: 1 }));
	};
	const files = [];
	for (const [key, value] of asked) {
		if (key !== "file" && key !== "url") continue;
		const address = new URL(value, location.href);
		if (key === "file" && address.origin !== location.origin || key === "url" && !data.urls) {
			strata.failed(`this page was built to ask no other server, and does not fetch ${address.href}`);
			continue;
		}
		say("Fetching " + value);
		await fetched(address).then((path) => files.push(path),
			(e) => strata.failed(`${value} could not be fetched: ${e.message}`));
	}
	for (const path of strata.inline ? await strata.inline.files() : []) files.push(path);

	const go = new Go();
	go.argv = ["strata", ...files];
	go.env = { HOME: "/home/web", TMPDIR: "/tmp" };
	go.exit = (code) => died(`exit code ${code}`);
	const instance = await WebAssembly.instantiate(await module, go.importObject);
	strata.memory = () => instance.exports.mem.buffer.byteLength;
	wait.hidden = true;
	if (navigator.serviceWorker && data.wasm) navigator.serviceWorker.register("sw.js").catch(() => {});
	await go.run(instance);
	died("it has ended");
})().catch((e) => (strata.died || console.error)(e));
