export { SeriesView } from "./series";
export { SpikesView } from "./raster";
export { SeriesDisplay, SpikesDisplay } from "./display";
