// The view of a table: pages of rows come as they are scrolled to, sorted and filtered by the server as far as it can.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import * as api from "../api";
import type { Column, Node, Problem, Rows } from "../api";
import { group } from "../format";
import { cursorIndex, goTo, navigate, onScreen, registerKey, route, setParams, status } from "../state";
import { Button } from "../ui/button";
import { Icon } from "../ui/icon";
import { EmptyState, ErrorState, titleOf } from "../ui/states";
import { cellText, columnWidth, isNumber, showCell } from "./cell";
import { shownColumns } from "./columns";
import { uniform, varied } from "./extent";
import { nextSort, parseFilter, parseSort, sortText } from "./filter";
import { type At, Grid, rowHeight } from "./grid";
import { Pieces } from "./pieces";
import { CellPopover } from "./popover";

const page = 100;
const mostSorted = 2 ** 24; // rows that the server sorts and filters

export function TableView({ node }: { node: Node }) {
  const info = node.table;
  if (!info || info.columns.length === 0) return <EmptyState icon="table" title="No columns" text="This table has no columns, and so no rows to show." />;
  if (info.rows === 0) return <EmptyState icon="table" title="No rows" text={`The columns are ${info.columns.slice(0, 12).map((c) => c.name).join(", ")}${info.columns.length > 12 ? ", …" : ""}.`} />;
  return <Table node={node} />;
}

type Counts = { total: number; known: boolean };

function Table({ node }: { node: Node }) {
  const info = node.table!, q = route.value.params;
  const columns = shownColumns(info.columns, q["cols"]);
  const names = columns.length === info.columns.length ? undefined : columns.map((c) => c.name).join(",");
  const sort = parseSort(q["sort"], info.columns);
  const filter = parseFilter(q["filter"] ?? "", info.columns);
  const query = { columns: names, sort: sortText(sort), filter: filter.text || undefined };
  const wish = JSON.stringify(query);
  const [, redraw] = useState(0);
  const [counts, setCounts] = useState<Counts>({ total: info.rows, known: !filter.text });
  const [open, setOpen] = useState<{ row: number; column: Column; anchor: DOMRect } | null>(null);
  const sample = useRef<Rows | null>(null);

  const pieces = useMemo(() => {
    const began = performance.now();
    return new Pieces<Rows>(async (key, signal) => {
      const r = await api.rows(node, { ...query, offset: Number(key) * page, limit: page }, signal);
      sample.current ??= r;
      setCounts({ total: r.matched ?? (query.filter && r.rows.length < page ? r.offset + r.rows.length : r.total), known: true });
      status.work.value = [{ value: `${group(r.rows.length)} rows` }, { value: `${Math.round(performance.now() - began)} ms` }];
      return r;
    }, () => redraw((n) => n + 1));
  }, [wish]);
  useEffect(() => {
    setCounts({ total: info.rows, known: !query.filter });
    return () => pieces.stop();
  }, [pieces]);
  const problem: Problem | null = pieces.problem ? api.problemOf(pieces.problem) : null;
  useEffect(() => {
    status.errors.value = problem ? [{ problem, retry: () => pieces.retry() }] : [];
  }, [problem?.error]);

  const rowOf = (r: number) => {
    const p = pieces.get(String(Math.floor(r / page)));
    const i = r % page;
    return p && i < p.rows.length ? { cells: p.rows[i]!, index: p.index[i] ?? r, names: p.columns } : null;
  };
  const place = (names: string[], c: Column, k: number) => (names[k] === c.name ? k : names.indexOf(c.name));
  const total = counts.total;
  const sized = useMemo(() => columns.map((c) => columnWidth(c, sample.current?.rows.slice(0, 60).map((r) => r[sample.current!.columns.indexOf(c.name)]) ?? [])), [names, sample.current]);
  const across = useMemo(() => varied(sized), [sized]), down = useMemo(() => uniform(total, rowHeight), [total]);

  const row = Math.max(0, Math.min(total - 1, Math.trunc(Number(q["row"])) || 0));
  const col = Math.max(0, columns.findIndex((c) => c.name === q["col"]));
  const at: At | null = q["row"] === undefined ? null : { row, column: col };
  const setAt = (a: At) => setParams({ row: String(a.row), col: a.column ? columns[a.column]!.name : undefined });
  const openCell = (a: At, el: HTMLElement) => {
    const got = rowOf(a.row), column = columns[a.column]!;
    const cell = got?.cells[place(got.names, column, a.column)];
    if (cell === null || cell === undefined || typeof cell !== "object") return;
    if ("list" in cell && cell.list > 0) setOpen({ row: got!.index, column, anchor: el.getBoundingClientRect() });
    else if ("link" in cell && !cell.link.broken) navigate({ source: cell.link.source, path: cell.link.path, params: cell.link.row === undefined ? {} : { row: String(cell.link.row) } });
  };
  const hover = (a: At | null) => {
    if (!a) return void (status.cursor.value = []);
    const got = rowOf(a.row), column = columns[a.column];
    if (!got || !column) return;
    cursorIndex.value = [got.index];
    status.cursor.value = [{ label: "row", value: group(got.index) }, { label: column.name, value: cellText(got.cells[place(got.names, column, a.column)] ?? null).slice(0, 120) || "–" }, ...(column.unit ? [{ value: column.unit }] : [])];
  };
  const sight = useRef("");
  const onSight = (r: [number, number]) => {
    const first = Math.floor(r[0] / page), last = Math.floor(Math.max(r[0], r[1] - 1) / page);
    pieces.want(Array.from({ length: last - first + 1 }, (_, i) => String(first + i)));
    const slice = `${r[0]}:${r[1]}`;
    if (slice === sight.current) return;
    sight.current = slice;
    if (node.array) onScreen.value = { path: node.path, slice }; // the rows of a group are spread over its columns
  };
  useEffect(() => {
    goTo.value = (p) => p[0] != null && setParams({ row: String(p[0]) });
    return () => {
      goTo.value = cursorIndex.value = null;
      status.cursor.value = [];
    };
  }, []);

  const press = (c: Column) => c.sortable && setParams({ sort: sortText(nextSort(sort, c.name)), row: undefined }, { replace: false });
  const header = (k: number) => {
    const c = columns[k]!, on = sort?.column === c.name;
    return (
        <button type="button" class={isNumber(c) ? "number" : ""} tabIndex={-1} disabled={!c.sortable} onClick={() => press(c)} title={[c.description, c.sortable ? "Press to sort" : "This column cannot be sorted"].filter(Boolean).join("\n")}>
          <span class="grid-title"><b>{c.name}</b>{on && <span class="sorted" aria-hidden="true">{sort.down ? "↓" : "↑"}</span>}</span>
          <span class="fact">{c.ragged ? "lists of " : ""}{c.reference ? "links" : c.type}{c.unit ? " · " + c.unit : ""}</span>
        </button>
    );
  };
  const first = pieces.get("0");
  return (
    <div class="table">
      <Bar node={node} columns={info.columns} shown={columns.length} counts={counts} csv={api.rowsAddress(node, query)} />
      {problem && (
        <div class="table-problem" role="alert">
          <Icon name="warning" />
          <span><b>{titleOf(problem)}.</b> {problem.error}{problem.hint ? ". " + problem.hint : ""}</span>
          {(query.sort || query.filter) && <Button onClick={() => setParams({ sort: undefined, filter: undefined })}>Show all, as stored</Button>}
          <Button icon="retry" label="Try again" onClick={() => pieces.retry()} />
        </div>
      )}
      <div class="table-body">
        {problem && !first && (query.sort || query.filter) ? null : problem && !first ? <ErrorState problem={problem} retry={() => pieces.retry()} />
          : counts.known && total === 0 ? <EmptyState icon="search" title="No row matches" text={q["filter"]}><div class="buttons"><Button onClick={() => setParams({ filter: undefined })}>Show all rows</Button></div></EmptyState>
          : <Grid
              key={wish} label={`${node.label ?? node.name}, ${group(total)} rows`} rows={down} columns={across} gutter={Math.max(48, String(info.rows).length * 8 + 20)} head={42} goto={at?.row}
              header={header} headerProps={(k) => ({ "aria-sort": sort?.column === columns[k]!.name ? (sort.down ? "descending" : "ascending") : undefined })}
              name={(r) => { const got = rowOf(r); return got ? String(got.index) : sort || filter.text ? "" : String(r); }}
              cell={(r, k) => {
                const got = rowOf(r);
                return got ? showCell(got.cells[place(got.names, columns[k]!, k)], columns[k]!) : null;
              }}
              at={at} onAt={setAt} onOpen={openCell} onHover={hover} onSight={onSight}
            />}
      </div>
      {open && <CellPopover node={node} row={open.row} column={open.column.name} unit={open.column.unit} anchor={open.anchor} close={() => setOpen(null)} />}
    </div>
  );
}

/** What stands above the rows: the filter, how many there are, and a file of them. */
function Bar({ node, columns, shown, counts, csv }: { node: Node; columns: Column[]; shown: number; counts: Counts; csv: string }) {
  const given = route.value.params["filter"] ?? "";
  const [text, setText] = useState(given);
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => setText(given), [given]);
  useEffect(() => registerKey("f", "filter the rows", () => box.current?.focus()), []);
  const parsed = parseFilter(text, columns);
  const apply = () => !parsed.problem && text !== given && setParams({ filter: text.trim() || undefined, row: undefined }, { replace: false });
  const example = columns.find((c) => isNumber(c) && c.sortable) ?? columns[0]!;
  const all = node.table!.rows;
  return (
    <form class="table-bar" onSubmit={(e) => { e.preventDefault(); apply(); }}>
      <div class="table-filter">
        <Icon name="search" />
        <input
          ref={box} class="field" type="text" value={text} placeholder={`Filter: ${example.name} > 5`} aria-label="Filter rows" disabled={all > mostSorted} aria-invalid={!!parsed.problem && text !== given} spellcheck={false} autocomplete="off"
          onInput={(e) => setText(e.currentTarget.value)} onBlur={apply}
          onKeyDown={(e) => e.key === "Escape" && (setText(given), e.currentTarget.blur())}
        />
        {text && <Button quiet icon="close" label="Clear the filter" onClick={() => { setText(""); setParams({ filter: undefined, row: undefined }, { replace: false }); }} />}
        {parsed.problem && text.trim() && <span class="table-hint" role="status">{parsed.problem}</span>}
      </div>
      <span class="fact table-count" role="status">{given ? (counts.known ? `${group(counts.total)} of ${group(all)} rows` : "…") : `${group(all)} rows`}{all > mostSorted && ": too many to sort or filter"}{shown < columns.length ? ` · ${shown} of ${columns.length} columns` : ""}</span>
      <a class="btn" href={csv} download={node.name + ".csv"} title="What is shown, as comma-separated values"><Icon name="download" />CSV</a>
    </form>
  );
}
