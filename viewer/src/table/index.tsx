import "./table.css";

export { TableView } from "./table";
export { TableDisplay } from "./display";
