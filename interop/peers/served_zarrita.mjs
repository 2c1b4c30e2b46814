// What zarrita reads from `omnizarr serve`.
//
//     node served_zarrita.mjs BASE CASES RESULTS
import { appendFileSync, readFileSync } from "node:fs";
import * as zarr from "zarrita";

const [base, cases, results] = process.argv.slice(2);

async function check(name, test) {
	let error = "";
	try {
		await test();
	} catch (e) {
		error = `${e.name}: ${e.message}`;
	}
	appendFileSync(results, `${JSON.stringify({ case: name, error })}\n`);
}

const kinds = { "|u1": Uint8Array, "|i1": Int8Array, "<u2": Uint16Array, "<i2": Int16Array, "<u4": Uint32Array, "<i4": Int32Array, "<f4": Float32Array, "<f8": Float64Array };

/** The elements of a file of NumPy's. */
function npy(file) {
	const bytes = readFileSync(file);
	const length = bytes.readUInt16LE(8);
	const head = bytes.toString("latin1", 10, 10 + length);
	const shape = /'shape': \(([^)]*)\)/.exec(head)[1].split(",").filter((n) => n.trim()).map(Number);
	const Kind = kinds[/'descr': '([^']*)'/.exec(head)[1]];
	return { shape, data: new Kind(Uint8Array.from(bytes.subarray(10 + length)).buffer) };
}

const part = (text) => text.split(",").map((p) => (p.includes(":") ? zarr.slice(...p.split(":").map((n) => (n === "" ? null : Number(n)))) : Number(p)));

async function same(array, slice, want) {
	const got = await zarr.get(array, part(slice));
	if (got.shape.join() !== want.shape.join()) throw new Error(`shape ${got.shape}, not ${want.shape}`);
	if (got.data.constructor !== want.data.constructor) throw new Error(`${got.data.constructor.name}, not ${want.data.constructor.name}`);
	for (let i = 0; i < want.data.length; i++) {
		let rest = i;
		let at = 0;
		for (let axis = want.shape.length - 1; axis >= 0; axis--) {
			at += (rest % want.shape[axis]) * got.stride[axis];
			rest = Math.floor(rest / want.shape[axis]);
		}
		if (got.data[at] !== want.data[i]) throw new Error(`element ${i} is ${got.data[at]}, not ${want.data[i]}`);
	}
}

for (const c of JSON.parse(readFileSync(cases, "utf8"))) {
	const want = npy(c.npy);
	for (const version of [3, 2]) {
		const root = `${base}/zarr${version === 3 ? "" : "2"}/${c.name}`;
		const label = `${c.name}${c.path} as v${version}`;
		const open = version === 3 ? zarr.open.v3 : zarr.open.v2;
		await check(`zarrita: ${label}`, async () => same(await open(new zarr.FetchStore(root + c.path), { kind: "array" }), c.slice, want));
		await check(`zarrita, any version: ${label}`, async () => same(await zarr.open(new zarr.FetchStore(root + c.path), { kind: "array" }), c.slice, want));
		await check(`zarrita, by suffix ranges: ${label}`, async () => same(await open(new zarr.FetchStore(root + c.path, { useSuffixRequest: true }), { kind: "array" }), c.slice, want));
		const consolidated = zarr.withMaybeConsolidatedMetadata ?? zarr.tryWithConsolidated;
		if (consolidated) {
			await check(`zarrita, consolidated: ${label}`, async () => {
				const store = await consolidated(new zarr.FetchStore(root));
				if (!store.contents) throw new Error("there is no consolidated metadata");
				await same(await open(zarr.root(store).resolve(c.path), { kind: "array" }), c.slice, want);
			});
		}
	}
}
