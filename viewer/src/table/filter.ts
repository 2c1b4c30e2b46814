// What is typed into the filter of a table, understood before the server is asked: it speaks of columns by their names.

import type { Column } from "../api";

export type Term = { column: string; op: string; value: string };
export type Filter = { terms: Term[]; text: string; problem?: string };

/** Reads "rate > 5, quality ~ good". What it gives the server has no blanks around the operators. */
export function parseFilter(input: string, columns: Column[]): Filter {
  const terms: Term[] = [];
  const wrong = (problem: string) => ({ terms, text: "", problem });
  for (const part of split(input)) {
    const found = /^(.*?)([<>=!]=|!~|[~=<>])(.*)$/s.exec(part);
    if (!found) return wrong(`${part}: ${columns.some((c) => c.name === part) ? "then > < = != or ~" : "a filter is a column, one of > < = != ~,"} and a value`);
    const name = found[1]!.trim(), op = found[2]!, value = found[3]!.trim().replace(/^"(.*)"$/s, "$1");
    const column = columns.find((c) => c.name === name) ?? columns.find((c) => c.name.toLowerCase() === name.toLowerCase());
    if (!column) return wrong(name ? `there is no column ${name}` : "a filter begins with the name of a column");
    if (!value) return wrong(`${column.name} ${op} what?`);
    terms.push({ column: column.name, op: op === "==" ? "=" : op, value });
  }
  return { terms, text: terms.map((t) => t.column + t.op + t.value).join(",") };
}

/** Parts at commas that do not stand in quotes. */
function split(input: string): string[] {
  return (input.match(/(?:"[^"]*"|[^,"])+/g) ?? []).map((s) => s.trim()).filter(Boolean);
}

export type Sort = { column: string; down: boolean } | null;

export function parseSort(text: string | undefined, columns: Column[]): Sort {
  if (!text) return null;
  const down = text.startsWith("-");
  const column = down ? text.slice(1) : text;
  return columns.some((c) => c.name === column) ? { column, down } : null;
}

/** The next order of a column when its header is pressed: up, down, as stored. */
export function nextSort(now: Sort, column: string): Sort {
  if (now?.column !== column) return { column, down: false };
  return now.down ? null : { column, down: true };
}

export const sortText = (s: Sort): string | undefined => (s ? (s.down ? "-" : "") + s.column : undefined);
