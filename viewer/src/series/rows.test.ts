import { expect, test } from "vitest";
import { inside, parseShown, shownText, spread } from "./rows";

test("the address names rows", () => {
  expect(parseShown("16:48", 384, 16)).toEqual({ first: 16, count: 32 });
  expect(parseShown("5", 384, 16)).toEqual({ first: 5, count: 1 });
  expect(parseShown(undefined, 8, 16)).toEqual({ first: 0, count: 8 });
  expect(parseShown("900:950", 384, 16)).toEqual({ first: 383, count: 1 });
  expect(parseShown("x", 0, 16)).toEqual({ first: 0, count: 1 });
  expect([shownText({ first: 5, count: 1 }), shownText({ first: 0, count: 16 })]).toEqual(["5", "0:16"]);
});
test("rows stay inside", () => {
  expect(inside({ first: 380, count: 16 }, 384)).toEqual({ first: 368, count: 16 });
  expect(inside({ first: -3, count: 900 }, 384)).toEqual({ first: 0, count: 384 });
});
test("more and fewer", () => {
  expect(spread({ first: 16, count: 16 }, 384, 2)).toEqual({ first: 8, count: 32 });
  expect(spread({ first: 0, count: 1 }, 384, 2)).toEqual({ first: 0, count: 2 });
  expect(spread({ first: 0, count: 2 }, 384, 0.5).count).toBe(1);
});
