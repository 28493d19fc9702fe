// Drives a browser through the page, as a person would: node drive.mjs '{"browser": …}'. browsers_test.go starts it and
// reads what it prints: a line of JSON for each check.
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import puppeteer from "puppeteer-core";

const given = JSON.parse(process.argv[2]); // browser, executable, folder, single, sample, scratch
const firefox = given.browser === "firefox";
const width = 1280, height = 800;
const patience = Number(given.patience || 60000);

const kinds = { ".html": "text/html", ".js": "text/javascript", ".png": "image/png" };
// serve serves files as any static server does, below a path.
const serve = (read) => new Promise((resolve) => {
	const server = http.createServer((request, answer) => {
		const name = decodeURIComponent(new URL(request.url, "http://x").pathname).replace(/^\/sub\//, "") || "index.html";
		let data;
		try {
			data = read(name);
		} catch {
			answer.writeHead(404).end();
			return;
		}
		answer.writeHead(200, { "content-type": kinds[path.extname(name)] || "application/octet-stream" }).end(data);
	});
	server.listen(0, "127.0.0.1", () => resolve({ server, url: `http://127.0.0.1:${server.address().port}/sub/` }));
});
const ofFolder = (name) => fs.readFileSync(path.join(given.folder, path.normalize("/" + name)));
const page404 = (name) => { // another site, with the page in a frame
	if (name !== "index.html") throw new Error("absent");
	return "<!doctype html><title>other</title><iframe width=1200 height=700></iframe>";
};

const launch = () => puppeteer.launch(firefox ? {
	browser: "firefox", executablePath: given.executable, headless: false, // without a screen Firefox has no WebGL
	extraPrefsFirefox: {
		"webgl.force-enabled": true, "browser.download.folderList": 2, "browser.download.dir": given.scratch,
		"browser.download.useDownloadDir": true, "browser.download.alwaysOpenPanel": false, "ui.systemUsesDarkTheme": 1,
		"layout.css.prefers-color-scheme.content-override": 0,
	},
} : {
	executablePath: given.executable, headless: true,
	args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
	downloadBehavior: { policy: "allow", downloadPath: given.scratch },
});

const say = (what) => console.log(JSON.stringify(what));
const equal = (got, want, what) => { if (got !== want) throw new Error(`${what}: ${got}, want ${want}`); };

const asked = []; // addresses that pages asked for
// open opens the page and waits for the window.
const open = async (browser, url) => {
	const page = await browser.newPage();
	await page.setViewport({ width, height });
	page.on("request", (r) => asked.push(r.url()));
	if (!firefox) await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
	await page.goto(url);
	await started(page);
	return page;
};
const started = (page) => page.waitForFunction(() => {
	const wait = document.getElementById("wait");
	if (wait.className === "dead") throw new Error(wait.textContent);
	return wait.hidden && document.querySelector("#giowindow canvas");
}, { timeout: patience });
// line waits for a line that the program says, after the first so many.
const line = (page, like, after = 0) => page.waitForFunction((like, after) =>
	fs.lines.slice(after).find((l) => new RegExp(like).test(l)), { timeout: patience }, like, after).then((h) => h.jsonValue());
const lines = (page) => page.evaluate(() => fs.lines.length);
const settings = (page) => page.evaluate(() => JSON.parse(localStorage.getItem("strata.settings") || "{}"));
const setting = (page, name, want) => page.waitForFunction((name, want) =>
	JSON.stringify(JSON.parse(localStorage.getItem("strata.settings") || "{}")[name]) === want,
{ timeout: patience }, name, JSON.stringify(want));
// shot waits until the page shows the same twice.
const shot = async (page) => {
	for (let before = null; ;) {
		const now = Buffer.from(await page.screenshot());
		if (before && now.equals(before)) return now;
		before = now;
		await new Promise((r) => setTimeout(r, 300));
	}
};
const changed = async (page, before, what) => {
	for (let end = Date.now() + patience; Date.now() < end;) {
		if (!(await shot(page)).equals(before)) return;
	}
	throw new Error(what + " changes nothing");
};
// drop drops files that are made in the page: parts are names beside the page, texts, or sizes of nothing at all.
const drop = (page, files) => page.evaluate(async (files) => {
	const transfer = new DataTransfer();
	for (const { name, from, text, size, cut } of files) {
		let parts = [text || ""];
		if (from) parts = [(await (await fetch(from)).blob()).slice(0, cut)];
		if (size) parts = new Array(Math.ceil(size / (64 << 20))).fill(new Blob([new Uint8Array(64 << 20)]));
		transfer.items.add(new File(parts, name, { lastModified: 1700000000000 }));
	}
	for (const type of ["dragover", "drop"]) {
		document.querySelector("canvas").dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
	}
}, files);
const button = { x: 643, y: 302 }; // "Open snapshot…" of the start page
const choose = async (page, file) => {
	let chooser = null;
	page.waitForFileChooser({ timeout: patience }).then((c) => { chooser = c; }, () => {});
	for (let end = Date.now() + patience; !chooser && Date.now() < end;) { // the first frame may not be there yet
		await page.mouse.click(button.x, button.y);
		await new Promise((r) => setTimeout(r, 1000));
	}
	await chooser.accept([file]);
};
// downloaded waits for a file and returns it.
const downloaded = async (like) => {
	for (let end = Date.now() + patience; Date.now() < end; await new Promise((r) => setTimeout(r, 100))) {
		const name = fs.readdirSync(given.scratch).find((n) => like.test(n));
		if (name && fs.statSync(path.join(given.scratch, name)).size) return path.join(given.scratch, name);
	}
	throw new Error(`no download ${like}`);
};

let page;
const checks = {
	async "a file that is dropped is drawn"({ url }) {
		await drop(page, [{ name: "sample.pickle.gz", from: url + "sample.pickle.gz" }]);
		await line(page, "sharp picture");
		await page.mouse.move(640, 780);
		fs.writeFileSync(path.join(given.scratch, "page.png"), await shot(page));
	},
	async "the wheel zooms, a key shows all"() {
		const whole = await shot(page);
		await page.mouse.move(500, 400);
		await page.mouse.wheel({ deltaY: -300 });
		await changed(page, whole, "the wheel");
		await page.keyboard.press("0");
		await page.mouse.move(640, 780);
		for (let end = Date.now() + patience; !(await shot(page)).equals(whole);) {
			if (Date.now() > end) throw new Error("0 does not show the whole run again");
		}
	},
	async "keys change the axis and the theme"() {
		await page.keyboard.press("m");
		await setting(page, "axis", "time");
		await page.keyboard.press("l");
		await setting(page, "theme", "light");
	},
	async "SQL is typed and answered"() {
		await page.keyboard.press("q");
		await page.waitForFunction(() => document.activeElement.tagName === "TEXTAREA", { timeout: patience });
		await page.keyboard.type("select count(*) from events");
		await shot(page); // a frame that has both text and Enter would run what was there before
		await page.keyboard.down("Control");
		await page.keyboard.press("Enter");
		await page.keyboard.up("Control");
		await page.waitForFunction(() => (JSON.parse(localStorage.getItem("strata.settings")).sql_history || [])[0] ===
			"select count(*) from events", { timeout: patience });
		await page.keyboard.press("Escape");
	},
	async "the picture is saved as a download"() {
		await page.keyboard.down("Control");
		await page.keyboard.press("e");
		await page.keyboard.up("Control");
		const picture = fs.readFileSync(await downloaded(/\.png$/));
		equal(picture.subarray(1, 4).toString(), "PNG", "the file begins with");
	},
	async "the Back button does not leave the page"() {
		await page.evaluate(() => history.back());
		await page.waitForFunction(() => strata.memory() > 0);
		const before = await lines(page);
		await page.evaluate(() => { // opening must not wait for a handle, which may never come
			if (DataTransferItem.prototype.getAsFileSystemHandle) {
				DataTransferItem.prototype.getAsFileSystemHandle = () => new Promise(() => {});
			}
		});
		await drop(page, [{ name: "again.pickle.gz", from: "sample.pickle.gz" }]);
		await line(page, "opening .*again.pickle.gz", before);
	},
	async "a damaged file is told of"() {
		const before = await lines(page);
		await drop(page, [{ name: "damaged.pickle", text: "no snapshot ".repeat(9000) }]);
		await line(page, "failed.*damaged.pickle", before);
	},
	async "a file that is too big is refused beforehand"() {
		const before = await lines(page), used = await page.evaluate(() => strata.memory());
		await drop(page, [{ name: "big.pickle", size: 3 * 2 ** 30 }]);
		const said = await line(page, "failed.*big.pickle", before);
		if (!said.includes("native program")) throw new Error(said);
		const grown = await page.evaluate(() => strata.memory()) - used;
		if (grown > 64 << 20) throw new Error(`${grown} bytes were taken for it`);
	},
	async "a reload keeps the settings"() {
		await page.reload();
		await started(page);
		equal((await settings(page)).theme, "light", "the theme");
	},
	async "a file that is chosen is opened"() {
		await choose(page, given.sample);
		await line(page, "sharp picture");
	},
	async "?url= is refused"({ url }) {
		const other = await open(await page.browser(), url + "?url=http://127.0.0.1:1/x.pickle");
		if (asked.some((a) => a.startsWith("http://127.0.0.1:1/"))) throw new Error("it was asked for");
		await other.close();
	},
	async "another page hands over a file, once it was allowed to"({ url, elsewhere }) {
		const other = await page.browser().newPage();
		await other.setViewport({ width, height });
		await other.goto(elsewhere);
		const data = fs.readFileSync(given.sample).toString("base64");
		await other.evaluate((url, data) => {
			const frame = document.querySelector("iframe");
			frame.src = url;
			const ping = setInterval(() => frame.contentWindow.postMessage("PING", "*"), 100);
			addEventListener("message", (e) => {
				if (e.data !== "PONG") return;
				clearInterval(ping);
				const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
				frame.contentWindow.postMessage({ strata: { name: "handed.pickle.gz", data: bytes } }, "*");
			}, { once: false });
		}, url, data);
		const frame = await (await other.waitForSelector("iframe")).contentFrame();
		const yes = await frame.waitForSelector("dialog button", { timeout: patience });
		if (await frame.evaluate(() => fs.lines.length)) throw new Error("it was opened without asking");
		await yes.click();
		await line(frame, "opening .*handed.pickle.gz");
		await other.close();
	},
	async "without a network the page works as before"({ server }) {
		await page.waitForFunction(() => navigator.serviceWorker.ready.then(() => true), { timeout: patience });
		server.close();
		server.closeAllConnections();
		await page.reload();
		await started(page);
		const before = await lines(page);
		await choose(page, given.sample);
		await line(page, "sharp picture", before);
	},
	async "the one file opens without any server"() {
		const alone = await open(page.browser(), "file://" + given.single);
		await choose(alone, given.sample);
		await line(alone, "sharp picture");
		await alone.close();
	},
	async "a page that died says so"() {
		await page.evaluate(() => strata.died("fatal error: runtime: out of memory"));
		const text = await page.$eval("#wait.dead p", (e) => e.textContent);
		if (!text.includes("native program")) throw new Error(text);
	},
	async "no other server was asked for anything"({ url, elsewhere }) {
		if (asked.length < 4) throw new Error(`only ${asked.length} requests were seen`);
		const bad = asked.filter((a) => ![url, elsewhere, "file://" + given.single, "blob:", "data:"].some((ok) => a.startsWith(ok)));
		equal(bad.join(), "", "asked");
	},
};

const read = (name) => (name === "sample.pickle.gz" ? fs.readFileSync(given.sample) : ofFolder(name));
const [here, other] = [await serve(read), await serve(page404)];
const browser = await launch();
try {
	page = await open(browser, here.url);
	for (const [check, run] of Object.entries(checks)) {
		const begun = Date.now();
		let error = "";
		try {
			await run({ url: here.url, server: here.server, elsewhere: other.url });
		} catch (e) {
			error = String(e && e.message || e) + "\n" + await page.evaluate(() => fs.lines.join("\n")).catch(() => "");
		}
		say({ check, error, milliseconds: Date.now() - begun });
	}
} finally {
	await browser.close();
	here.server.close();
	other.server.close();
}
