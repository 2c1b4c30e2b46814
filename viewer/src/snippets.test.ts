import { describe, expect, it } from "vitest";
import type { Node } from "./api";
import { parts, shellQuote, snippet } from "./snippets";

const node = { source: "slide.ome.tif", path: "/tissue", node_type: "group", image: { data_type: "uint16", levels: [{}, { made: true }] } } as unknown as Node;
const o = { server: "http://127.0.0.1:8080", node, onScreen: { path: "/tissue/0", slice: "2,:,16,2048:4096,5120:8192:2", level: 0 } };

describe("lines that read what is on screen", () => {
  it("are Python", () => {
    expect(snippet("Python", o)).toBe('import zarr\na = zarr.open_array("http://127.0.0.1:8080/zarr/slide.ome.tif/tissue/0", mode="r")\na[2, :, 16, 2048:4096, 5120:8192:2]');
  });
  it("are JavaScript", () => {
    expect(snippet("JavaScript", o)).toContain("zarr.get(a, [2, null, 16, zarr.slice(2048, 4096), zarr.slice(5120, 8192, 2)])");
  });
  it("are Go", () => {
    expect(snippet("Go", o)).toContain('zarr.Read[uint16](ctx, a,\n\tzarr.Slice("2, :, 16, 2048:4096, 5120:8192:2"))');
  });
  it("are for a shell", () => {
    expect(snippet("shell", o)).toBe("omnizarr cat --slice 2,:,16,2048:4096,5120:8192:2 \\\n  http://127.0.0.1:8080/zarr/slide.ome.tif/tissue/0");
    expect(shellQuote("it's $HOME")).toBe("'it'\\''s $HOME'");
  });
  it("ask for a pyramid where the level is made", () => {
    expect(snippet("Python", { ...o, onScreen: { ...o.onScreen, path: "/tissue/1", level: 1 } })).toContain("/zarr/@pyramid/slide.ome.tif/tissue/1");
  });
  it("open a group where no array is shown", () => {
    expect(snippet("Python", { ...o, onScreen: null })).toContain("zarr.open_group(");
    expect(snippet("Python", { ...o, onScreen: { path: "/tissue", slice: "0:10" } })).toContain("zarr.open_group(");
  });
  it("cannot be broken out of by a name", () => {
    const evil = { ...o, onScreen: { path: '/a"); import os #', slice: ":" } };
    expect(snippet("Python", evil)).toContain('"http://127.0.0.1:8080/zarr/slide.ome.tif/a%22)%3B%20import%20os%20%23"');
  });
  it("split slices at commas", () => expect(parts("0, :,1:2")).toEqual(["0", ":", "1:2"]));
});
