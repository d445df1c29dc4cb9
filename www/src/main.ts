import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "./style/tokens.css";
import "./style/layout.css";
import "./style/panels.css";
import { startApp } from "./app.ts";
import { loadGallery } from "./base/gallery.ts";

const kernels = import.meta.glob<string>("../../kernels/*.py", { query: "?raw", import: "default", eager: true });
const root = document.getElementById("app");
if (root !== null) {
  const makeWorker = (): Worker => new Worker(new URL("./sim/worker.ts", import.meta.url), { type: "module", name: "simulator" });
  void startApp(root, loadGallery(kernels), makeWorker);
}
