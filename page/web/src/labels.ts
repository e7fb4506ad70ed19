// Labels that collide neither with each other nor, where there are few, with the marks: newcomers are served first, then
// old objects, those with the least room before the others, each at the first of eight places beside its mark that is free.

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
}

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

const CELL = 48;
const HEIGHT = 13;

/** Boxes that are taken, in cells of a grid so that few need be looked at. */
class Taken {
  private readonly cells = new Map<number, Box[]>();

  private *keys(box: Box): Generator<number> {
    for (let i = Math.floor(box.left / CELL); i <= Math.floor(box.right / CELL); i++)
      for (let j = Math.floor(box.top / CELL); j <= Math.floor(box.bottom / CELL); j++) yield i * 4096 + j;
  }

  free(box: Box): boolean {
    for (const key of this.keys(box))
      for (const other of this.cells.get(key) ?? [])
        if (box.left < other.right && box.right > other.left && box.top < other.bottom && box.bottom > other.top)
          return false;
    return true;
  }

  add(box: Box): void {
    for (const key of this.keys(box)) {
      const list = this.cells.get(key);
      if (list) list.push(box);
      else this.cells.set(key, [box]);
    }
  }
}

const widths = new Map<string, number>();

/** Draws as many of the labels as fit, and says which. */
export function drawLabels(
  canvas: CanvasRenderingContext2D,
  wanted: Wanted[],
  marks: { x: number; y: number; r: number }[],
  bounds: Box,
  halo: string,
): Drawn[] {
  const taken = new Taken();
  for (const { x, y, r } of marks) taken.add({ left: x - r, right: x + r, top: y - r, bottom: y + r });
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
    const all = places.map(([left, middle]) => ({ left: left - 1, right: left + w + 1, top: middle - HEIGHT / 2, bottom: middle + HEIGHT / 2 }));
    const boxes = all.filter((box) => inside(box) && taken.free(box));
    // The first place that is in sight, if one must be had.
    const fallback = always ? (all.find(inside) ?? all[0]) : undefined;
    return { text, font, colour, boxes, fallback, first: bold };
  });
  const newcomers = laid.filter(({ first }) => first);
  const old = laid.filter(({ first }) => !first).sort((a, b) => a.boxes.length - b.boxes.length);
  canvas.strokeStyle = halo;
  canvas.lineWidth = 3;
  const drawn: Drawn[] = [];
  for (const { text, font, colour, boxes, fallback, first } of [...newcomers, ...old]) {
    const free = boxes.find((b) => taken.free(b));
    const box = free ?? fallback;
    if (!box) continue;
    taken.add(box);
    drawn.push({ text, x: box.left + 1, y: box.top + HEIGHT / 2, bold: first, colour });
    canvas.font = font;
    if (!free) {
      // On a plate, so that it can be read on what it covers.
      canvas.fillStyle = halo;
      canvas.globalAlpha = 0.85;
      canvas.fillRect(box.left - 2, box.top - 1, box.right - box.left + 4, HEIGHT + 2);
      canvas.globalAlpha = 1;
    }
    canvas.strokeText(text, box.left + 1, box.top + HEIGHT / 2);
    canvas.fillStyle = colour;
    canvas.fillText(text, box.left + 1, box.top + HEIGHT / 2);
  }
  return drawn;
}
