// The views of series, tables and arrays are one file of the built page: they share much, and are small together.
export { SeriesView, SeriesDisplay, SpikesView, SpikesDisplay } from "./series";
export { TableView, TableDisplay } from "./table";
export { ArrayView, ArrayDisplay } from "./array";
