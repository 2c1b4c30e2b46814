export { ArrayView } from "./array";
export { ArrayDisplay } from "./display";
