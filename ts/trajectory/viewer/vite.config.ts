import { defineConfig, type Plugin } from "vite";

/** The page as one module of two texts, so that any bundle of the reader carries it without loose files. */
function asModule(): Plugin {
  return {
    name: "page-as-module",
    enforce: "post",
    generateBundle(_, bundle) {
      let script = "";
      let style = "";
      for (const [name, file] of Object.entries(bundle)) {
        if (file.type === "chunk") script += file.code;
        else if (name.endsWith(".css")) style += String(file.source);
        delete bundle[name];
      }
      const source = `export const script = ${JSON.stringify(script)};\nexport const style = ${JSON.stringify(style)};\n`;
      this.emitFile({ type: "asset", fileName: "page.js", source });
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  logLevel: "warn",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../dist/page",
    emptyOutDir: true,
    target: "es2022",
    cssCodeSplit: false,
    modulePreload: false,
    rollupOptions: { input: "main.tsx", output: { format: "iife" } },
  },
  plugins: [asModule()],
});
