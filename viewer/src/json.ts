// JSON as it is shown and copied: no integer rounded.

/** entries of an object or a list, in order; none of anything else. */
export function entries(v: unknown): [string, unknown][] {
  return v !== null && typeof v === "object" ? Object.entries(v) : [];
}

/** stringify writes JSON with bigints as the integers that they are. */
export function stringify(v: unknown, indent = ""): string {
  if (typeof v === "bigint") return String(v);
  if (v === null || typeof v !== "object") return JSON.stringify(v) ?? "null";
  const list = entries(v);
  const deeper = indent + "  ";
  const [a, b] = Array.isArray(v) ? "[]" : "{}";
  if (!list.length) return a! + b;
  if (Array.isArray(v) && v.length <= 16 && v.every((e) => e === null || typeof e !== "object")) return "[" + v.map((e) => stringify(e)).join(", ") + "]";
  return a + "\n" + list.map(([k, e]) => deeper + (Array.isArray(v) ? "" : JSON.stringify(k) + ": ") + stringify(e, deeper)).join(",\n") + "\n" + indent + b;
}

/** pointer adds a step to a JSON pointer. */
export const pointer = (at: string, key: string) => at + "/" + key.replaceAll("~", "~0").replaceAll("/", "~1");

/** summary is a container in a few words. */
export function summary(v: unknown): string {
  const list = entries(v);
  if (Array.isArray(v)) {
    const short = v.length <= 6 && v.every((e) => e === null || (typeof e !== "object" && String(e).length < 14));
    return short ? stringify(v) : list.length === 1 ? "1 item" : `${list.length} items`;
  }
  const names = list.slice(0, 3).map(([k]) => k).join(", ");
  return list.length ? `{ ${names.length > 40 ? list.length + " members" : names + (list.length > 3 ? ", …" : "")} }` : "{ }";
}
