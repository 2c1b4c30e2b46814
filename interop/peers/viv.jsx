// A page that shows an image of OME-Zarr in Viv and tells what it has read.
import { loadOmeZarr, PictureInPictureViewer, getDefaultInitialViewState } from "@hms-dbmi/viv";
import { createRoot } from "react-dom/client";

const told = (window.told = {});

async function show(url) {
	const { data, metadata } = await loadOmeZarr(url, { type: "multiscales" });
	const finest = data[0];
	const channels = metadata.omero.channels;
	const first = Object.fromEntries(finest.labels.slice(0, -2).map((label) => [label, 0]));
	Object.assign(told, { levels: data.length, shape: finest.shape, labels: finest.labels, channels: channels.map((c) => c.label) });
	const raster = await finest.getRaster({ selection: { ...first, c: 1 } });
	told.sum = raster.data.reduce((a, b) => a + b, 0);
	const size = { width: 512, height: 512 };
	const state = getDefaultInitialViewState(data, size, 0);
	createRoot(document.getElementById("app")).render(
		<PictureInPictureViewer
			loader={data}
			contrastLimits={channels.map((c) => [c.window.start, c.window.end])}
			colors={channels.map((c) => [0, 2, 4].map((i) => parseInt(c.color.slice(i, i + 2), 16)))}
			channelsVisible={channels.map((c) => c.active)}
			selections={channels.map((_, c) => ({ ...first, c }))}
			height={size.height}
			width={size.width}
			overview={undefined}
			overviewOn={false}
			viewStates={[{ ...state, id: "detail" }]}
			onViewportLoad={() => (told.viewportLoaded = true)}
		/>,
	);
}

show(new URLSearchParams(location.search).get("source")).catch((e) => (told.error = String(e?.stack ?? e)));
