export { TableView } from "./table";
export { TableDisplay } from "./display";
