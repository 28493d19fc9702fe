"use strict";
// A file system in memory, as Go's js/wasm expects Node to have one: globalThis.fs, to be loaded before wasm_exec.js.
// A file is bytes, a Blob that is read piece by piece where it lies, or a handle that becomes a Blob when it is opened.
(() => {
	const failure = (code, text) => Object.assign(new Error(text || code), { code });
	const constants = { O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, O_DIRECTORY: 65536 };
	const nodes = new Map(); // by absolute path
	const open = new Map(); // by descriptor
	let nextDescriptor = 100, nextInode = 1;

	const newNode = (of) => ({ ino: nextInode++, mtime: Date.now(), ctime: Date.now(), size: 0, ...of });
	const clean = (path) => {
		const out = [];
		for (const part of path.split("/")) {
			if (part === "..") out.pop();
			else if (part && part !== ".") out.push(part);
		}
		return "/" + out.join("/");
	};
	const folderOf = (path) => path.slice(0, path.lastIndexOf("/")) || "/";
	const makeFolders = (path) => {
		if (nodes.has(path)) return;
		if (path !== "/") makeFolders(folderOf(path));
		nodes.set(path, newNode({ folder: true }));
	};
	const find = (path) => {
		const node = nodes.get(clean(path));
		if (!node) throw failure("ENOENT", path + ": no such file");
		return node;
	};
	const opened = (descriptor) => {
		const file = open.get(descriptor);
		if (!file) throw failure("EBADF");
		return file;
	};
	const statOf = (node) => ({
		dev: 1, ino: node.ino, mode: node.folder ? 0o40755 : 0o100644, nlink: 1, uid: 0, gid: 0, rdev: 0,
		size: node.blob ? node.blob.size : node.size, blksize: 4096, blocks: 0,
		atimeMs: node.mtime, mtimeMs: node.mtime, ctimeMs: node.ctime, isDirectory: () => !!node.folder,
	});
	const resize = (node, size) => {
		if (!node.bytes || node.bytes.length < size) {
			const bytes = new Uint8Array(Math.max(4096, size, 2 * (node.bytes ? node.bytes.length : 0)));
			if (node.bytes) bytes.set(node.bytes.subarray(0, node.size));
			node.bytes = bytes;
		}
		node.size = size;
	};

	// What Go writes to the console goes there line by line; the page shows the last ones when the program ends.
	const decoder = new TextDecoder();
	let line = "";
	const print = (bytes) => {
		const lines = (line + decoder.decode(bytes)).split("\n");
		line = lines.pop();
		for (const text of lines) {
			console.log(text);
			fs.lines.push(text);
		}
		if (fs.lines.length > 1000) fs.lines.splice(0, 500);
		return bytes.length;
	};

	// called makes a function of Node's form: its last argument is told the error or the result.
	const called = (f) => (...args) => {
		const done = args.pop();
		let result;
		try {
			result = f(...args);
		} catch (e) {
			done(e);
			return;
		}
		done(null, result);
	};
	const missing = (code) => called(() => { throw failure(code); });
	const ignored = called(() => {});

	const openNode = (node, path, flags) => {
		if (flags & constants.O_DIRECTORY && !node.folder) throw failure("ENOTDIR");
		if (flags & constants.O_TRUNC && !node.folder) Object.assign(node, { size: 0, bytes: null });
		open.set(nextDescriptor, {
			node, path, at: 0, append: !!(flags & constants.O_APPEND),
			writing: !!(flags & (constants.O_WRONLY | constants.O_RDWR)),
		});
		return nextDescriptor++;
	};
	const read = (node, from, to, buffer, offset, done) => {
		const take = (bytes) => {
			buffer.set(new Uint8Array(bytes), offset);
			if (fs.onread) fs.onread(to - from);
			done(null, to - from);
		};
		const piece = node.blob.slice(from, to);
		const failed = (e) => done(failure("EIO", String(e)));
		if (!globalThis.FileReaderSync) {
			piece.arrayBuffer().then(take, failed);
			return;
		}
		let bytes; // in a worker there is a way that does not go round the event loop
		try {
			bytes = new FileReaderSync().readAsArrayBuffer(piece);
		} catch (e) {
			failed(e);
			return;
		}
		take(bytes);
	};

	globalThis.fs = {
		constants,
		lines: [],
		onread: null, // told how many bytes of a Blob were read
		onwrite: null, // told the path of a file that was written, or has another name now

		// For the page: makes a file, and the folders above it. what is of: blob, bytes, handle, size, ino, mtime, ctime.
		mount(path, what) {
			path = clean(path);
			makeFolders(folderOf(path));
			nodes.set(path, newNode({ ...what, size: what.bytes ? what.bytes.length : what.size || 0 }));
			return path;
		},
		nodeOf: (path) => nodes.get(clean(path)),
		contents(path) {
			const node = find(path);
			return node.bytes ? node.bytes.subarray(0, node.size) : new Uint8Array(0);
		},
		paths: (prefix) => [...nodes.keys()].filter((path) => path.startsWith(prefix)),
		makeFolders: (path) => makeFolders(clean(path)),

		// For Go.
		writeSync: (descriptor, bytes) => print(bytes),
		write(descriptor, buffer, offset, length, position, done) {
			const bytes = buffer.subarray(offset, offset + length);
			if (descriptor <= 2) return done(null, print(bytes));
			const file = open.get(descriptor), own = position === null;
			if (!file || !file.writing || file.node.blob) return done(failure("EBADF"));
			const at = !own ? position : file.append ? file.node.size : file.at;
			try {
				resize(file.node, Math.max(file.node.size, at + length));
			} catch (e) { // a RangeError: the browser has no room for it
				return done(failure("ENOSPC", String(e)));
			}
			file.node.bytes.set(bytes, at);
			file.node.mtime = file.node.ctime = Date.now();
			if (own) file.at = at + length;
			return done(null, length);
		},
		read(descriptor, buffer, offset, length, position, done) {
			const file = open.get(descriptor), own = position === null;
			if (!file || file.node.folder) return done(failure(file ? "EISDIR" : "EBADF"));
			const node = file.node, from = own ? file.at : position;
			const to = Math.min(from + length, node.blob ? node.blob.size : node.size);
			if (own) file.at = Math.max(from, to);
			if (to <= from) return done(null, 0);
			if (node.blob) return read(node, from, to, buffer, offset, done);
			buffer.set(node.bytes.subarray(from, to), offset);
			return done(null, to - from);
		},
		open(path, flags, mode, done) {
			path = clean(path);
			let node = nodes.get(path);
			if (!node) {
				if (!(flags & constants.O_CREAT) || !nodes.has(folderOf(path))) return done(failure("ENOENT"));
				nodes.set(path, node = newNode({}));
			} else if (flags & constants.O_CREAT && flags & constants.O_EXCL) {
				return done(failure("EEXIST"));
			}
			const go = called(() => openNode(node, path, flags));
			if (!node.handle || node.blob) return go(done);
			return node.handle().then((blob) => { // asks for permission
				node.blob = blob;
				go(done);
			}, (e) => done(failure(e && e.name === "NotFoundError" ? "ENOENT" : "EACCES", String(e))));
		},
		close: called((descriptor) => {
			const file = opened(descriptor);
			open.delete(descriptor);
			if (file.writing && fs.onwrite) fs.onwrite(file.path);
		}),
		fstat: called((descriptor) => statOf(opened(descriptor).node)),
		stat: called((path) => statOf(find(path))),
		lstat: called((path) => statOf(find(path))),
		mkdir: called((path) => {
			path = clean(path);
			if (nodes.has(path)) throw failure("EEXIST");
			if (!nodes.has(folderOf(path))) throw failure("ENOENT");
			nodes.set(path, newNode({ folder: true }));
		}),
		readdir: called((path) => {
			if (!find(path).folder) throw failure("ENOTDIR");
			const prefix = clean(path) === "/" ? "/" : clean(path) + "/";
			return [...nodes.keys()].filter((k) => k !== "/" && k.startsWith(prefix))
				.map((k) => k.slice(prefix.length)).filter((k) => !k.includes("/"));
		}),
		rename: called((from, to) => {
			from = clean(from);
			to = clean(to);
			nodes.set(to, find(from));
			nodes.delete(from);
			for (const [path, node] of [...nodes]) {
				if (!path.startsWith(from + "/")) continue;
				nodes.delete(path);
				nodes.set(to + path.slice(from.length), node);
			}
			if (fs.onwrite) fs.onwrite(to);
		}),
		unlink: called((path) => { find(path); nodes.delete(clean(path)); }),
		rmdir: called((path) => { find(path); nodes.delete(clean(path)); }),
		truncate: called((path, size) => resize(find(path), size)),
		ftruncate: called((descriptor, size) => resize(opened(descriptor).node, size)),
		utimes: called((path, accessed, modified) => { find(path).mtime = modified * 1000; }),
		fsync: ignored, chmod: ignored, fchmod: ignored, chown: ignored, fchown: ignored, lchown: ignored,
		link: missing("ENOSYS"), symlink: missing("ENOSYS"), readlink: missing("EINVAL"),
	};
	for (const path of ["/home/web/.config", "/home/web/.cache", "/tmp", "/files", "/downloads"]) makeFolders(path);

	globalThis.process = {
		pid: 1, ppid: 0, getuid: () => 0, getgid: () => 0, geteuid: () => 0, getegid: () => 0, getgroups: () => [],
		umask: () => 0, cwd: () => "/files", chdir: () => {},
	};
	globalThis.path = {
		resolve: (...parts) => clean(parts.reduce((all, p) => (p.startsWith("/") ? p : all + "/" + p), "/files")),
	};
})();
