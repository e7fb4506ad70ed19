// A canvas that writes SVG: what the views draw with, drawn into elements instead of pixels, so that what is saved is what
// is seen. It has the few methods that they use; a path that is filled and then stroked is one element.

const round = (v: number): string => String(Math.round(v * 100) / 100);

export const escape = (text: string): string =>
  text.replace(/[\p{Cc}\u2068\u2069]+/gu, (c) => (/\p{Cc}/u.test(c) ? " " : "")).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const ANCHOR: Record<string, string> = { center: "middle", right: "end", end: "end" };
const BASELINE: Record<string, string> = { middle: "central", top: "hanging", bottom: "text-after-edge" };

/** What save keeps and restore brings back. */
interface Style {
  fillStyle: string;
  strokeStyle: string;
  lineWidth: number;
  globalAlpha: number;
  font: string;
  textAlign: string;
  textBaseline: string;
}

/** The parts of an element: its shape, what it is called, its paint. */
interface Element {
  shape: string;
  about: string;
  paint: string[];
  title: string;
}

export class Recorder implements Style {
  fillStyle = "#000";
  strokeStyle = "#000";
  lineWidth = 1;
  globalAlpha = 1;
  font = "11px sans-serif";
  textAlign = "left";
  textBaseline = "alphabetic";
  lineJoin = "miter";
  private readonly parts: (string | Element)[] = [];
  private path = "";
  /** The path as a circle, if it is one and nothing else. */
  private circle = "";
  private dashes: number[] = [];
  /** The element that the path has become. */
  private made: Element | null = null;
  private called: [string, string] = ["", ""];
  private readonly kept: { style: Style; open: number }[] = [];
  private readonly pen = document.createElement("canvas").getContext("2d")!;

  /** `prefix` begins the names of clips, so that several recordings can stand in one picture. */
  constructor(private readonly prefix: string) {}

  /** What is recorded, to those who draw on canvases. */
  get canvas(): CanvasRenderingContext2D {
    return this as unknown as CanvasRenderingContext2D;
  }

  /** The next element is that of an object. */
  about(kind: string, title: string): void {
    this.called = [kind, title];
  }

  save(): void {
    const { fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, textBaseline } = this;
    this.kept.push({ style: { fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, textBaseline }, open: 0 });
  }

  restore(): void {
    const kept = this.kept.pop();
    if (!kept) return;
    Object.assign(this, kept.style);
    for (let i = 0; i < kept.open; i++) this.parts.push("</g>");
  }

  beginPath(): void {
    this.path = this.circle = "";
    this.made = null;
  }

  moveTo(x: number, y: number): void {
    this.path += `M${round(x)} ${round(y)}`;
    this.circle = "";
  }

  lineTo(x: number, y: number): void {
    this.path += `L${round(x)} ${round(y)}`;
  }

  closePath(): void {
    this.path += "Z";
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.path += `M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}Z`;
    this.circle = "";
  }

  /** Whole circles only. */
  arc(x: number, y: number, r: number, _from: number, _to: number): void {
    this.circle = this.path === "" ? `<circle cx="${round(x)}" cy="${round(y)}" r="${round(r)}"` : "";
    this.path += `M${round(x + r)} ${round(y)}A${round(r)} ${round(r)} 0 1 1 ${round(x - r)} ${round(y)}A${round(r)} ${round(r)} 0 1 1 ${round(x + r)} ${round(y)}Z`;
  }

  clip(): void {
    const name = `${this.prefix}-${this.parts.length}`;
    this.parts.push(`<clipPath id="${name}"><path d="${this.path}"/></clipPath><g clip-path="url(#${name})">`);
    const last = this.kept.at(-1);
    if (last) last.open++;
  }

  setLineDash(dashes: number[]): void {
    this.dashes = dashes;
  }

  private opacity(of: "fill" | "stroke"): string {
    return this.globalAlpha < 1 ? ` ${of}-opacity="${round(this.globalAlpha)}"` : "";
  }

  /** The element of the path: a new one, or the one that was filled before. */
  private element(): Element {
    if (!this.made) {
      const [kind, title] = this.called;
      this.called = ["", ""];
      this.made = { shape: this.circle || `<path d="${this.path}"`, about: kind ? ` class="${kind}"` : "", paint: [], title };
      this.parts.push(this.made);
    }
    return this.made;
  }

  fill(): void {
    if (this.path) this.element().paint.push(` fill="${this.fillStyle}"${this.opacity("fill")}`);
  }

  stroke(): void {
    if (!this.path) return;
    const { paint } = this.element();
    if (!paint.length) paint.push(' fill="none"');
    const dashes = this.dashes.length ? ` stroke-dasharray="${this.dashes.join(" ")}"` : "";
    paint.push(` stroke="${this.strokeStyle}" stroke-width="${round(this.lineWidth)}"${dashes}${this.opacity("stroke")}`);
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    this.beginPath();
    this.rect(x, y, width, height);
    this.fill();
  }

  strokeRect(x: number, y: number, width: number, height: number): void {
    this.beginPath();
    this.rect(x, y, width, height);
    this.stroke();
  }

  measureText(text: string): TextMetrics {
    this.pen.font = this.font;
    return this.pen.measureText(text);
  }

  fillText(text: string, x: number, y: number, _most?: number): void {
    const size = /([\d.]+)px/.exec(this.font)?.[1] ?? "11";
    const weight = /^(\d00|bold)/.exec(this.font)?.[1];
    const anchor = ANCHOR[this.textAlign] ? ` text-anchor="${ANCHOR[this.textAlign]}"` : "";
    const baseline = BASELINE[this.textBaseline] ? ` dominant-baseline="${BASELINE[this.textBaseline]}"` : "";
    this.parts.push(`<text x="${round(x)}" y="${round(y)}" font-size="${size}"${weight ? ` font-weight="${weight}"` : ""}${anchor}${baseline} fill="${this.fillStyle}">${escape(text)}</text>`);
  }

  /** Rims that set letters off from what is under them: in a drawing that is edited they would be in the way. */
  strokeText(): void {}

  /** The elements, in order. */
  lines(): string[] {
    return this.parts.map((part) => {
      if (typeof part === "string") return part;
      const { shape, about, paint, title } = part;
      const name = shape.startsWith("<circle") ? "circle" : "path";
      return `${shape}${about}${paint.join("")}${title ? `><title>${escape(title)}</title></${name}>` : "/>"}`;
    });
  }
}

/** What is drawn next is an object of this kind and name, if it is recorded. */
export function nameObject(canvas: CanvasRenderingContext2D, kind: "old" | "newcomer", title: string): void {
  if ((canvas as unknown) instanceof Recorder) (canvas as unknown as Recorder).about(kind, title);
}

/** Whether a canvas is recorded. */
export const isRecorded = (canvas: CanvasRenderingContext2D): boolean => (canvas as unknown) instanceof Recorder;
