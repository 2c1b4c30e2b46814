// zarrita as a peer.
//
//     node zarrita_peer.mjs read  DIR RESULTS
//     node zarrita_peer.mjs write DIR
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { FileSystemStore } from "@zarrita/storage";
import * as zarr from "zarrita";

// Node 24 has Float16Array, older ones do not: the same answers everywhere.
delete globalThis.Float16Array;

const [command, folder, results] = process.argv.slice(2);
const root = zarr.root(new FileSystemStore(folder));

/** Where the elements lie in C order; arrays that are transposed come in another. */
function* places(shape, stride) {
	const length = shape.reduce((a, b) => a * b, 1);
	for (let i = 0; i < length; i++) {
		let rest = i;
		let at = 0;
		for (let axis = shape.length - 1; axis >= 0; axis--) {
			at += (rest % shape[axis]) * stride[axis];
			rest = Math.floor(rest / shape[axis]);
		}
		yield at;
	}
}

/** SHA-256 of the elements: text and objects behind their length, everything else as it lies in memory. */
function digest({ data, shape, stride }, type) {
	const hash = createHash("sha256");
	const size = data.byteLength / data.length;
	for (const at of places(shape, stride)) {
		if (data.buffer) {
			hash.update(new Uint8Array(data.buffer, data.byteOffset + at * size, size));
			continue;
		}
		const bytes = Buffer.from(type === "omnizarr.json" ? JSON.stringify(data[at]) : data[at]);
		const length = Buffer.alloc(4);
		length.writeUInt32LE(bytes.length);
		hash.update(length).update(bytes);
	}
	return hash.digest("hex");
}

async function open(entry) {
	const version = existsSync(`${folder}/.zgroup`) ? "v2" : "v3";
	if (!entry.group) return zarr.open[version](root.resolve(entry.path), { kind: "array" });
	const store = await zarr.withConsolidatedMetadata(new FileSystemStore(`${folder}/${entry.group}`), { format: version });
	return zarr.open[version](zarr.root(store).resolve(entry.path), { kind: "array" });
}

async function compare(entry) {
	const array = await open(entry);
	// zarr.get gives a bare value for an array without axes.
	const values = await (array.shape.length > 0 ? zarr.get(array) : array.getChunk([]));
	if (digest(values, entry.type) !== entry.sha256) throw new Error("different values");
	for (const [name, value] of Object.entries(entry.odd ?? {})) {
		if (String(array.attrs[name]) !== value) throw new Error("different attributes");
	}
	if (entry.attributes && !isDeepStrictEqual(array.attrs, entry.attributes)) throw new Error("different attributes");
	if (entry.dimension_names && !isDeepStrictEqual(array.dimensionNames, entry.dimension_names)) {
		throw new Error("different dimension names");
	}
}

async function readSome(entries) {
	const lines = [];
	for (const entry of entries) {
		let error = "";
		try {
			await compare(entry);
		} catch (e) {
			error = String(e);
		}
		lines.push({ case: entry.name, error });
	}
	return lines;
}

/** Reads entries in a thread of its own, with codecs that nothing has happened to. */
function readApart(entries) {
	return new Promise((resolve, reject) => {
		const worker = new Worker(new URL(import.meta.url), { workerData: entries, argv: process.argv.slice(2) });
		worker.once("message", resolve).once("error", reject);
	});
}

/** Reads all entries. zstd never recovers from damaged data: what it fails on is tried again by itself. */
async function read() {
	const { cases } = JSON.parse(readFileSync(`${folder}/manifest.json`, "utf8"));
	const lines = [];
	for (let i = 0; i < cases.length; i += 50) lines.push(...(await readApart(cases.slice(i, i + 50))));
	for (let i = 0; i < lines.length; i++) {
		if (lines[i].error.includes("CodecPipelineError")) [lines[i]] = await readApart([cases[i]]);
	}
	writeFileSync(results, lines.map((line) => JSON.stringify(line) + "\n").join(""));
}

const types = {
	bool: Uint8Array, int8: Int8Array, uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array, int32: Int32Array,
	uint32: Uint32Array, int64: BigInt64Array, uint64: BigUint64Array, float32: Float32Array, float64: Float64Array,
};

const bytes = (endian) => ({ name: "bytes", configuration: { endian } });
const chains = {
	default: undefined,
	little: [bytes("little")],
	big: [bytes("big")],
	transpose: [{ name: "transpose", configuration: { order: [1, 0] } }, bytes("little")],
	zstd: [bytes("little"), { name: "zstd", configuration: { level: 3, checksum: false } }],
};

/** A generator of random bytes: the same arrays in every run. */
let state = 1;
function random() {
	state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
	return state >>> 24;
}

async function writeArray(name, type, codecs) {
	const array = await zarr.create(root.resolve(name), {
		shape: [7, 9], chunkShape: [4, 6], dtype: type, codecs, fillValue: type === "bool" ? true : 3,
		attributes: { by: "zarrita" }, dimensionNames: ["y", "x"],
	});
	const raw = Uint8Array.from({ length: 63 * types[type].BYTES_PER_ELEMENT }, () => (type === "bool" ? random() & 1 : random()));
	const data = type === "bool" ? new zarr.BoolArray(raw.buffer) : new types[type](raw.buffer);
	await zarr.set(array, null, { data, shape: [7, 9], stride: [9, 1] });
	return { name, path: name, sha256: digest({ data, shape: [7, 9], stride: [9, 1] }), attributes: { by: "zarrita" }, dimension_names: ["y", "x"] };
}

async function write() {
	const cases = [];
	for (const type of Object.keys(types)) {
		for (const [chain, codecs] of Object.entries(chains)) cases.push(await writeArray(`type/${type}/${chain}`, type, codecs));
	}
	for (const chain of ["little", "transpose", "zstd"]) cases.push(await writeArray(`edit/uint16/${chain}`, "uint16", chains[chain]));
	writeFileSync(`${folder}/manifest.json`, JSON.stringify({ cases }));
}

if (!isMainThread) parentPort.postMessage(await readSome(workerData));
else await (command === "read" ? read() : write());
