"use strict";
// What the page that is one file has in place of fetching: the program, the worker, and the snapshots of a report.
strata.inline = (() => {
	// bytesOf takes the bytes out of an element, piece by piece; the text is not needed any more.
	const bytesOf = (element) => {
		const text = element.textContent;
		element.remove();
		const bytes = new Uint8Array(text.length / 4 * 3), step = 1 << 20;
		let n = 0;
		for (let i = 0; i < text.length; i += step) {
			const piece = atob(text.slice(i, i + step));
			for (let k = 0; k < piece.length; k++) bytes[n++] = piece.charCodeAt(k);
		}
		return bytes.subarray(0, n);
	};
	const worker = () => URL.createObjectURL(new Blob([document.getElementById("worker").textContent],
		{ type: "text/javascript" }));
	return {
		wasm: () => new Blob([bytesOf(document.getElementById("wasm"))]).stream(),
		worker,
		files: async () => [...document.querySelectorAll("script[data-file]")].map((element) => {
			const name = element.dataset.file;
			return strata.mount(new File([bytesOf(element)], name, { lastModified: 1 }));
		}),
	};
})();
