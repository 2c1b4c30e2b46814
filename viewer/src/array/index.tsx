import "../table/table.css";
import "./array.css";

export { ArrayView } from "./array";
export { ArrayDisplay } from "./display";
