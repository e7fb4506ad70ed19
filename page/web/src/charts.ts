// The parts of ECharts that this page uses, and no others.

import { BarChart, LineChart, ScatterChart } from "echarts/charts";
import { AriaComponent, GridComponent, LegendComponent, TooltipComponent } from "echarts/components";
import { init, use, type EChartsType } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";
import type { EChartsOption } from "echarts";
import type { Theme } from "./theme";
import { byId, element } from "./text";

use([BarChart, LineChart, ScatterChart, AriaComponent, GridComponent, LegendComponent, TooltipComponent, CanvasRenderer]);

export const FONT = 'system-ui, -apple-system, "Segoe UI", sans-serif';

export type Option = EChartsOption;

/** A chart in the element of that name, as wide as it. */
export function chart(id: string): EChartsType {
  const box = byId(id);
  const made = init(box, null, { renderer: "canvas" });
  new ResizeObserver(() => made.resize()).observe(box);
  return made;
}

/** How axes look, whatever they are of. */
export function axis(theme: Theme, name: string): Record<string, unknown> {
  return {
    name,
    nameLocation: "middle",
    nameTextStyle: { color: theme.ink, fontSize: 11 },
    axisLine: { lineStyle: { color: theme.faint } },
    axisTick: { lineStyle: { color: theme.faint } },
    axisLabel: { color: theme.muted, fontSize: 11, hideOverlap: true },
    splitLine: { lineStyle: { color: theme.line } },
  };
}

/** A tooltip of lines of text; never of HTML. */
export function tooltip(theme: Theme, lines: (params: { seriesName?: string; data: unknown; dataIndex: number }) => string[]): Record<string, unknown> {
  return {
    trigger: "item",
    confine: true,
    backgroundColor: theme.surface,
    borderColor: theme.faint,
    textStyle: { color: theme.ink, fontSize: 12 },
    formatter: (params: never) => {
      const box = element("div");
      for (const line of lines(params)) box.append(element("div", { text: line, dir: "auto" }));
      return box;
    },
  };
}
