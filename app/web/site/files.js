"use strict";
// Files for the window: dropped, chosen, pasted, handed over by the system or by another page. Each becomes a path in
// the file system of memfs.js, below a folder whose name tells it from others.
globalThis.strata = {};
(() => {
	const maxEntries = 20000; // of a folder, as the program examines
	let listener = null;
	const early = []; // what happened before there was a window
	const tell = (kind, about) => { listener ? listener(kind, about) : early.push([kind, about]); };
	strata.listen = (f) => {
		listener = f;
		for (const [kind, about] of early.splice(0)) f(kind, about);
	};
	strata.open = (paths) => tell("drop", paths);
	strata.failed = (sentence) => tell("failed", sentence);

	// identify is a number by which a file is found again: opened twice it has one path.
	const identify = (text) => {
		let a = 0xdeadbeef, b = 0x41c6ce57;
		for (const c of text) {
			a = Math.imul(a ^ c.codePointAt(0), 2654435761);
			b = Math.imul(b ^ c.codePointAt(0), 1597334677);
		}
		a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
		b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
		return 4294967296 * (2097151 & b) + (a >>> 0);
	};
	// The time of change is no whole second, as of file systems whose times the program trusts.
	const nodeOf = (file, ino) => ({ blob: file, ino, mtime: file.lastModified || 1, ctime: 1001 });
	const mount = (file, within = "") => {
		const ino = identify([within, file.webkitRelativePath || "", file.name, file.size, file.lastModified].join("/"));
		const folder = within || ino.toString(36);
		return fs.mount(`/files/${folder}/${file.name || "pasted"}`, nodeOf(file, ino));
	};
	strata.mount = mount;

	// Recent files survive a reload where the browser has handles to them.
	const database = () => new Promise((resolve, reject) => {
		const request = indexedDB.open("strata", 1);
		request.onupgradeneeded = () => request.result.createObjectStore("recent");
		request.onsuccess = () => resolve(request.result);
		request.onerror = () => reject(request.error);
	});
	const recent = async (mode, act) => {
		const store = (await database()).transaction("recent", mode).objectStore("recent");
		const request = act(store);
		return new Promise((resolve, reject) => {
			request.onsuccess = () => resolve(request.result);
			request.onerror = () => reject(request.error);
		});
	};
	const remember = (path, file, handle) => {
		if (!handle) return;
		const ino = fs.nodeOf(path).ino;
		recent("readwrite", (s) => s.put({ handle, ino, size: file.size, mtime: file.lastModified }, path)).catch(() => {});
	};
	const fileOf = async (handle) => {
		const want = { mode: "read" };
		if (await handle.queryPermission(want) !== "granted" && await handle.requestPermission(want) !== "granted") {
			throw new Error("the browser was not allowed to read it");
		}
		return handle.getFile();
	};
	// restore mounts the recent files that can be opened again, and forgets those that the settings do not name any more.
	strata.restore = async (named) => {
		const keys = await recent("readonly", (s) => s.getAllKeys());
		for (const path of keys) {
			if (!named.includes(path)) {
				await recent("readwrite", (s) => s.delete(path));
				continue;
			}
			const { handle, ino, size, mtime } = await recent("readonly", (s) => s.get(path));
			fs.mount(path, { handle: () => fileOf(handle), ino, size, mtime, ctime: 1001 });
		}
	};

	const entryFile = (entry) => new Promise((resolve, reject) => entry.file(resolve, reject));
	// mountFolder mounts the files in a folder that was dropped, not those of the folders in it.
	const mountFolder = async (entry) => {
		const within = identify(entry.fullPath + performance.now()).toString(36) + "/" + entry.name;
		fs.makeFolders("/files/" + within);
		const reader = entry.createReader();
		for (let n = 0; n < maxEntries;) {
			const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
			if (!entries.length) break;
			n += entries.length;
			for (const e of entries) if (e.isFile) mount(await entryFile(e), within);
		}
		return "/files/" + within;
	};
	const mountAll = async (items) => {
		const wanted = [...items].filter((i) => i.kind === "file").map((i) => ({
			entry: i.webkitGetAsEntry ? i.webkitGetAsEntry() : null,
			file: i.getAsFile(),
			handle: i.getAsFileSystemHandle ? i.getAsFileSystemHandle().catch(() => null) : null,
		})); // all of it now: the items are gone after the event
		const paths = [];
		for (const w of wanted) {
			if (w.entry && w.entry.isDirectory) {
				paths.push(await mountFolder(w.entry));
			} else if (w.file) {
				const path = mount(w.file);
				if (w.handle) w.handle.then((handle) => remember(path, w.file, handle)); // opening never waits for it
				paths.push(path);
			}
		}
		return paths;
	};
	const openItems = (items) => mountAll(items).then((paths) => {
		if (paths.length) strata.open(paths);
		else strata.failed("what was dropped is no file of this machine");
	}, (e) => strata.failed("the browser cannot read what was dropped: " + e.message));

	addEventListener("dragover", (e) => {
		e.preventDefault();
		e.dataTransfer.dropEffect = "copy";
		tell("hover", null);
	});
	addEventListener("dragleave", (e) => { if (!e.relatedTarget) tell("leave", null); });
	addEventListener("drop", (e) => {
		e.preventDefault();
		openItems(e.dataTransfer.items);
	});
	addEventListener("paste", (e) => {
		if (e.clipboardData && e.clipboardData.files.length) {
			e.preventDefault();
			openItems(e.clipboardData.items);
		}
	}, true);

	// pick shows the browser's dialog and tells the paths of what was chosen.
	strata.pick = (multiple, accept, done) => {
		const input = document.createElement("input");
		Object.assign(input, { type: "file", multiple, accept, hidden: true });
		document.body.append(input);
		let end = (paths) => { // a driven Firefox tells of files after it has told that there are none
			end = strata.open;
			done(paths);
		};
		input.onchange = () => { input.remove(); end([...input.files].map((f) => mount(f))); };
		input.oncancel = () => end([]);
		if (!globalThis.showOpenFilePicker || navigator.webdriver) {
			input.click();
			return;
		}
		showOpenFilePicker({ multiple }).then(async (handles) => {
			const paths = [];
			for (const handle of handles) {
				const file = await handle.getFile();
				const path = mount(file);
				remember(path, file, handle);
				paths.push(path);
			}
			end(paths);
		}, (e) => { e.name === "AbortError" ? end([]) : input.click(); });
	};

	if ("launchQueue" in globalThis) {
		launchQueue.setConsumer(async ({ files }) => {
			const paths = [];
			for (const handle of files || []) {
				const file = await handle.getFile();
				const path = mount(file);
				remember(path, file, handle);
				paths.push(path);
			}
			if (paths.length) strata.open(paths);
		});
	}

	// What the program writes below /downloads is downloaded when it is complete.
	strata.download = (path) => {
		const link = document.createElement("a");
		link.href = URL.createObjectURL(new Blob([fs.contents(path)]));
		link.download = path.slice(path.lastIndexOf("/") + 1);
		link.click();
		setTimeout(() => URL.revokeObjectURL(link.href), 60000);
	};
})();
