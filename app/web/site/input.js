"use strict";
// What the window needs of keys, wheel, touch and history beside what Gio listens to.
(() => {
	const area = () => document.querySelector("#giowindow textarea");
	const canvas = () => document.querySelector("#giowindow canvas");
	const asked = () => document.querySelector("dialog[open]");

	// Keys with Ctrl or Cmd, and with Alt, that are the window's and not the browser's.
	const withControl = new Set(["KeyF", "KeyO", "KeyE", "KeyR", "KeyC", "KeyK", "Enter"]);
	const withAlt = new Set(["ArrowLeft", "ArrowRight", "PageUp", "PageDown", "KeyW", "KeyT", "KeyC"]);
	const browsers = (e) => { // the browser's own
		const control = e.ctrlKey || e.metaKey;
		if (/^F(5|11|12)$/.test(e.key)) return true;
		if (control && e.altKey) return e.code !== "KeyC";
		if (control && e.code === "KeyR" && e.shiftKey) return true; // a reload without caches
		if (control) return !withControl.has(e.code);
		return e.altKey && !withAlt.has(e.code);
	};
	// keyOf is the key without what Option makes of letters on a Mac.
	const keyOf = (e) => (e.altKey && /^Key[A-Z]$/.test(e.code) ? e.code.slice(3) : e.key);
	const copy = (type, e) => {
		const { code, ctrlKey, shiftKey, altKey, metaKey, repeat } = e;
		const init = { key: keyOf(e), code, ctrlKey, shiftKey, altKey, metaKey, repeat, cancelable: true };
		area().dispatchEvent(new KeyboardEvent(type, init));
	};
	// Gio hears keys in a text area that has the focus only while one of our text fields has it.
	for (const type of ["keydown", "keyup"]) {
		addEventListener(type, (e) => {
			if (!e.isTrusted || !area() || asked()) return;
			const own = !browsers(e);
			if (e.target === area()) {
				if (own && (e.ctrlKey || e.metaKey || e.altKey) && e.code !== "KeyC") e.preventDefault();
				return;
			}
			if (!own && type === "keydown") return;
			copy(type, e);
			if (own) e.preventDefault();
		}, true);
	}

	// A notch of the wheel is 100 for the window, whatever the browser and the pixel ratio make of it, and with Shift it
	// is of the other axis. Gio multiplies by the ratio, and swaps the axes.
	const turn = (x, y, of) => {
		const scale = 100 / devicePixelRatio;
		let [deltaX, deltaY] = [x * scale, y * scale];
		if (of.shiftKey) [deltaX, deltaY] = [0, deltaY || deltaX];
		const { clientX, clientY, ctrlKey, shiftKey, altKey, metaKey } = of;
		canvas().dispatchEvent(new WheelEvent("wheel",
			{ deltaX, deltaY, clientX, clientY, ctrlKey, shiftKey, altKey, metaKey, cancelable: true }));
	};
	addEventListener("wheel", (e) => {
		if (!e.isTrusted || e.target !== canvas()) return;
		e.preventDefault();
		e.stopImmediatePropagation();
		const notches = (legacy, delta) => (legacy ? -legacy / 120 : delta / [100, 3, 1][e.deltaMode]);
		turn(notches(e.wheelDeltaX, e.deltaX), notches(e.wheelDeltaY, e.deltaY), e);
	}, { capture: true, passive: false });

	// Two fingers zoom. Gio hears of one finger as of a pointer.
	let apart = 0;
	const spread = ([a, b]) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
	addEventListener("touchstart", (e) => {
		if (e.touches.length !== 2 || e.target !== canvas()) return;
		e.stopImmediatePropagation();
		e.preventDefault();
		apart = spread(e.touches);
		canvas().dispatchEvent(new TouchEvent("touchcancel", { changedTouches: [...e.touches], cancelable: true }));
	}, { capture: true, passive: false });
	addEventListener("touchmove", (e) => {
		if (!apart) return;
		e.stopImmediatePropagation();
		e.preventDefault();
		if (e.touches.length !== 2) return;
		const [a, b] = e.touches, now = spread(e.touches);
		if (Math.abs(Math.log2(now / apart)) < .05) return;
		turn(0, -4 * Math.log2(now / apart), { clientX: (a.clientX + b.clientX) / 2, clientY: (a.clientY + b.clientY) / 2 });
		apart = now;
	}, { capture: true, passive: false });
	for (const type of ["touchend", "touchcancel"]) {
		addEventListener(type, (e) => {
			if (!apart || !e.isTrusted) return;
			e.stopImmediatePropagation();
			if (!e.touches.length) apart = 0;
		}, true);
	}

	// The Back button goes back in the window, not away from it. Gio would leave the page.
	addEventListener("popstate", (e) => {
		e.stopImmediatePropagation();
		history.pushState(null, "");
		if (area()) copy("keydown", { key: "ArrowLeft", code: "ArrowLeft", altKey: true });
	}, true);

	// Gio asks for the pixel ratio only when the size changes.
	const watchRatio = () => matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change", () => {
		visualViewport.dispatchEvent(new Event("resize"));
		watchRatio();
	}, { once: true });
	watchRatio();
})();
