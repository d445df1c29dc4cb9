import { advice } from "./advice/advice.ts";
import { console } from "./console/console.ts";
import { headline } from "./headline/headline.ts";
import { inspector } from "./inspector/inspector.ts";
import { memory } from "./memory/memory.ts";
import { metrics } from "./metrics/metrics.ts";
import type { Panel } from "./panel.ts";
import { timeline } from "./timeline/timeline.ts";
import { utilization } from "./utilization/utilization.ts";

/** The results from top to bottom. */
export const RESULT_PANELS: readonly Panel[] = [headline, utilization, timeline, inspector, memory, advice, console, metrics];
