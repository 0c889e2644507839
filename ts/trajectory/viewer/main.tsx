/** Starts the page in whatever it was put into: served, or exported as one file. */
import { render } from "preact";
import { App } from "./app";
import { findData } from "./data";
import "./style.css";

const root = document.getElementById("app");
if (root) {
  const data = findData(document);
  data
    .overview()
    .then((overview) => {
      document.title = `${overview.heads.map((head) => head.name).join(" and ")} · recording`;
      render(<App data={data} overview={overview} />, root);
    })
    .catch((error: unknown) => {
      root.textContent = `This recording cannot be shown: ${error instanceof Error ? error.message : String(error)}`;
    });
}
