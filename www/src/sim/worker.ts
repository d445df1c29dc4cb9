/** The worker: the only importer of the WASM package. */
import { serve } from "./serve.ts";

serve(self, Promise.reject(new Error("the simulator is not part of this build")));
