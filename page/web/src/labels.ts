// Labels that collide neither with each other nor, where there are few, with the marks: newcomers are served first, then
// old objects, those with the least room before the others, each at the first of eight places beside its mark that is free, or
// farther away at the end of a thin line.

export interface Wanted {
  text: string;
  x: number;
  y: number;
  /** The radius of the mark. */
  r: number;
  bold: boolean;
  /** Whether it is drawn even if no place is free. */
  always?: boolean;
  colour: string;
}

/** A label that was drawn: where it begins, and the middle of its height. */
export interface Drawn {
  text: string;
  x: number;
  y: number;
  bold: boolean;
  colour: string;
  /** From the mark to the label, where it stands off. */
  line: [number, number, number, number] | null;
}

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

const CELL = 16;
const HEIGHT = 13;
/** How far off a label may stand, in pixels beyond the mark. */
const OFF = [12, 22, 34, 48];
/** … of one that must be had. */
const FARTHER = [...OFF, 66, 88, 114, 144];
/** Steps of four pixels of the line to a newcomer's label that may lie on something. */
const CROSSED = 3;
/** Directions in which it is looked for. */
const AROUND = 16;

/** Places for a label of width w that stands off its mark. */
function away(x: number, y: number, r: number, w: number, off: number[]): [number, number][] {
  const places: [number, number][] = [];
  for (const far of off)
    for (let step = 0; step < AROUND; step++) {
      const angle = (step / AROUND) * 2 * Math.PI + 0.2;
      const [dx, dy] = [Math.cos(angle), Math.sin(angle)];
      // The label begins or ends where the line does.
      const left = x + (r + far) * dx - (dx > 0.35 ? 0 : dx < -0.35 ? w : w / 2);
      places.push([left, y + (r + far) * dy]);
    }
  return places;
}

/** The line from a mark to a label that stands off. */
function leader(x: number, y: number, r: number, box: Box): [number, number, number, number] {
  const tx = Math.min(box.right, Math.max(box.left, x));
  const ty = Math.min(box.bottom - 2, Math.max(box.top + 2, y));
  const long = Math.hypot(tx - x, ty - y) || 1;
  return [x + ((tx - x) / long) * r, y + ((ty - y) / long) * r, tx, ty];
}

/** Boxes that are taken, in cells of a grid so that few need be looked at. */
export class Taken {
  private readonly cells = new Map<number, Box[]>();

  /** `under` are others that are taken too, and stay as they are. */
  constructor(private readonly under: Taken | null = null) {}

  /** Takes the boxes around marks. */
  marks(marks: { x: number; y: number; r: number }[]): this {
    for (const { x, y, r } of marks) this.add({ left: x - r, right: x + r, top: y - r, bottom: y + r });
    return this;
  }


  free(box: Box): boolean {
    const [right, bottom] = [Math.floor(box.right / CELL), Math.floor(box.bottom / CELL)];
    for (let i = Math.floor(box.left / CELL); i <= right; i++)
      for (let j = Math.floor(box.top / CELL); j <= bottom; j++) {
        const list = this.cells.get(i * 4096 + j);
        if (!list) continue;
        for (const other of list)
          if (box.left < other.right && box.right > other.left && box.top < other.bottom && box.bottom > other.top) return false;
      }
    return this.under === null || this.under.free(box);
  }

  add(box: Box): void {
    const [right, bottom] = [Math.floor(box.right / CELL), Math.floor(box.bottom / CELL)];
    for (let i = Math.floor(box.left / CELL); i <= right; i++)
      for (let j = Math.floor(box.top / CELL); j <= bottom; j++) {
        const list = this.cells.get(i * 4096 + j);
        if (list) list.push(box);
        else this.cells.set(i * 4096 + j, [box]);
      }
  }
}

/** Small boxes along a line, from where it has left its mark. */
function along([x0, y0, x1, y1]: [number, number, number, number], r: number): Box[] {
  const long = Math.hypot(x1 - x0, y1 - y0);
  const boxes: Box[] = [];
  for (let at = Math.min(3, r / 2); at < long - 2; at += 4) {
    const [x, y] = [x0 + ((x1 - x0) * at) / long, y0 + ((y1 - y0) * at) / long];
    boxes.push({ left: x - 0.5, right: x + 0.5, top: y - 0.5, bottom: y + 0.5 });
  }
  return boxes;
}

const widths = new Map<string, number>();

/** The place whose line crosses least, the nearest of these; none if each crosses more than `most`. */
function standOff(taken: Taken, places: Box[], [x, y, r]: [number, number, number], most: number): Box | undefined {
  let [least, best] = [Infinity, undefined as Box | undefined];
  for (const place of places) {
    let crossed = 0;
    for (const p of along(leader(x, y, r, place), r)) if (!taken.free(p) && ++crossed >= least) break;
    if (crossed < least) [least, best] = [crossed, place];
    if (crossed === 0) break;
  }
  return least <= most ? best : undefined;
}

/** Draws as many of the labels as fit, and says which. */
export function drawLabels(
  canvas: CanvasRenderingContext2D,
  wanted: Wanted[],
  marks: { x: number; y: number; r: number }[],
  bounds: Box,
  halo: string,
  under: Taken | null = null,
): Drawn[] {
  const taken = new Taken(under).marks(marks);
  canvas.textBaseline = "middle";
  canvas.textAlign = "left";
  canvas.lineJoin = "round";
  const inside = (box: Box) => box.left >= bounds.left && box.right <= bounds.right && box.top >= bounds.top && box.bottom <= bounds.bottom;
  const laid = wanted.map(({ text, x, y, r, bold, always, colour }) => {
    const font = `${bold ? "600 " : ""}12px system-ui, sans-serif`;
    canvas.font = font;
    const key = `${bold ? "b" : ""}${text}`;
    let w = widths.get(key);
    if (w === undefined) widths.set(key, (w = canvas.measureText(text).width));
    const gap = r + 4;
    const places = [
      [x + gap, y],
      [x - gap - w, y],
      [x - w / 2, y - gap - HEIGHT / 2],
      [x - w / 2, y + gap + HEIGHT / 2],
      [x + gap * 0.8, y - gap - 3],
      [x + gap * 0.8, y + gap + 3],
      [x - gap * 0.8 - w, y - gap - 3],
      [x - gap * 0.8 - w, y + gap + 3],
    ];
    const boxed = ([left, middle]: number[]) => ({ left: left - 1, right: left + w + 1, top: middle - HEIGHT / 2, bottom: middle + HEIGHT / 2 });
    const all = places.map(boxed);
    const boxes = all.filter((box) => inside(box) && taken.free(box));
    const far = () => away(x, y, r, w, always ? FARTHER : OFF).map(boxed).filter((box) => inside(box));
    // The first place that is in sight, if one must be had.
    const fallback = always ? (all.find(inside) ?? all[0]) : undefined;
    return { text, font, colour, boxes, far, fallback, first: bold, x, y, r };
  });
  const newcomers = laid.filter(({ first }) => first);
  const old = laid.filter(({ first }) => !first).sort((a, b) => a.boxes.length - b.boxes.length);
  const drawn: Drawn[] = [];
  for (const { text, font, colour, boxes, far, fallback, first, x, y, r } of [...newcomers, ...old]) {
    const near = boxes.find((b) => taken.free(b));
    const off = near ? undefined : standOff(taken, far().filter((b) => taken.free(b)), [x, y, r], fallback ? Infinity : first ? CROSSED : 0);
    const box = near ?? off ?? fallback;
    if (!box) continue;
    taken.add(box);
    const line = off ? leader(x, y, r, off) : null;
    if (line) along(line, r).forEach((p) => taken.add(p));
    drawn.push({ text, x: box.left + 1, y: box.top + HEIGHT / 2, bold: first, colour, line });
    canvas.font = font;
    if (line) {
      canvas.strokeStyle = colour;
      canvas.lineWidth = 0.8;
      canvas.beginPath();
      canvas.moveTo(line[0], line[1]);
      canvas.lineTo(line[2], line[3]);
      canvas.stroke();
    }
    if (!near && !off) {
      // On a plate, so that it can be read on what it covers.
      canvas.fillStyle = halo;
      canvas.globalAlpha = 0.85;
      canvas.fillRect(box.left - 2, box.top - 1, box.right - box.left + 4, HEIGHT + 2);
      canvas.globalAlpha = 1;
    }
    canvas.strokeStyle = halo;
    canvas.lineWidth = 3;
    canvas.strokeText(text, box.left + 1, box.top + HEIGHT / 2);
    canvas.fillStyle = colour;
    canvas.fillText(text, box.left + 1, box.top + HEIGHT / 2);
  }
  return drawn;
}
