import { defineConfig } from "vite";
import { mock } from "./dev/mock.ts";

// OMNIZARR=http://127.0.0.1:8080 npm run dev looks at a real server; without it the page shows made-up data.
const real = (globalThis as { process?: { env: Record<string, string | undefined> } }).process?.env["OMNIZARR"];
const proxied = real ? { target: real, changeOrigin: true } : undefined;

export default defineConfig({
  plugins: [mock(!real)],
  server: {
    host: "127.0.0.1",
    ...(proxied && { proxy: { "/api": proxied, "/zarr": proxied, "/zarr2": proxied, "/files": proxied } }),
  },
  // The newer of the two forms that it comes in, which is shorter.
  resolve: { conditions: ["module", "import"] },
  // Calls of h are shorter than those of the automatic runtime; by a name that no variable hides.
  oxc: { jsx: { runtime: "classic", pragma: "__h", pragmaFrag: "__F" }, jsxInject: `import { h as __h, Fragment as __F } from "preact"` },
  build: {
    target: "es2022",
    modulePreload: false,
    reportCompressedSize: false, // pack.mjs says it
    assetsInlineLimit: 0,
    // One file compresses better than one for each view, and nothing has to load them.
    cssCodeSplit: false,
    // Names without hashes: the server sends ETags, and the same sources build the same files.
    rolldownOptions: {
      output: { entryFileNames: "assets/[name].js", chunkFileNames: "assets/[name].js", assetFileNames: "assets/[name][extname]" },
    },
  },
  test: { include: ["src/**/*.test.ts"], environment: "node" },
} as import("vite").UserConfig);
