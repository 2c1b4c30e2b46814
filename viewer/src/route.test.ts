import { describe, expect, it } from "vitest";
import { ancestors, formatRoute, parentPath, parseRoute, root } from "./route";

describe("addresses", () => {
  it("are read and written the same", () => {
    for (const end of ["", "view/slide.ome.tif", "view/s/a/b?view=table&row=3", "view/a%20b/%C3%BC/c%23d?filter=a%3E3,b~text&x=1:2"]) {
      const url = root + end;
      const [path, q] = url.split("?");
      expect(formatRoute(parseRoute(path!, q ? "?" + q : ""))).toBe(url);
    }
  });
  it("keep names that look like other things", () => {
    const r = { source: "a/b", path: "/x?y/100%/.. ", view: "" as const, params: { q: "a&b=c" } };
    const [path, q] = formatRoute(r).split("?");
    expect(parseRoute(path!, "?" + q)).toEqual(r);
  });
  it("leave out what is wrong", () => {
    expect(parseRoute(root + "view/%zz/a//", "?view=evil&__proto__=1")).toEqual({ source: "%zz", path: "/a", view: "", params: {} });
    for (const path of [root + "elsewhere", "/view/a", root.slice(1) + "/view/a"]) expect(parseRoute(path, "")).toEqual({ source: "", path: "/", view: "", params: {} });
  });
  it("have parents", () => {
    expect(parentPath("/a/b")).toBe("/a");
    expect(parentPath("/a")).toBe("/");
    expect(ancestors("/a/b/c")).toEqual(["/", "/a", "/a/b", "/a/b/c"]);
    expect(ancestors("/")).toEqual(["/"]);
  });
});
