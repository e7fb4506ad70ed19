// Marks: their shapes, and small pictures of them to stamp on a canvas. looks.ts says which object has which.

/** Those of look/look.json, in its order; the last is for all that have none of their own. */
export const SHAPES = ["circle", "square", "triangle", "diamond", "wedge", "plus", "cross"] as const;
export type Shape = (typeof SHAPES)[number];

/** The path of a shape of about the same area whatever it is. */
export function trace(path: CanvasRenderingContext2D, shape: Shape, x: number, y: number, r: number): void {
  path.beginPath();
  if (shape === "circle") {
    path.arc(x, y, r, 0, 2 * Math.PI);
  } else {
    corners(shape).forEach(([dx, dy], i) => (i ? path.lineTo(x + r * dx, y + r * dy) : path.moveTo(x + r * dx, y + r * dy)));
    path.closePath();
  }
}

const PLUS = [[0.4, -1.2], [0.4, -0.4], [1.2, -0.4], [1.2, 0.4], [0.4, 0.4], [0.4, 1.2], [-0.4, 1.2], [-0.4, 0.4], [-1.2, 0.4], [-1.2, -0.4], [-0.4, -0.4], [-0.4, -1.2]];

/** Corners of a shape beside a circle of radius 1. */
export function corners(shape: Shape): number[][] {
  const half = Math.SQRT1_2;
  switch (shape) {
    case "square":
      return [[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]];
    case "diamond":
      return [[0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]];
    case "triangle":
      return [[0, -1.35], [1.2, 0.75], [-1.2, 0.75]];
    case "wedge":
      return [[0, 1.35], [1.2, -0.75], [-1.2, -0.75]];
    case "cross":
      return PLUS.map(([u, v]) => [(u - v) * half, (u + v) * half]);
    default:
      return PLUS;
  }
}

/** Small pictures of marks, made once for each look. */
export class Stamps {
  private readonly made = new Map<string, HTMLCanvasElement>();
  constructor(private readonly ratio: number) {}

  get(shape: Shape, r: number, fill: string, stroke: string, width: number): HTMLCanvasElement {
    const key = `${shape} ${r} ${fill} ${stroke} ${width}`;
    let stamp = this.made.get(key);
    if (!stamp) {
      const size = Math.ceil(2 * (r * 1.3 + width + 1) * this.ratio);
      stamp = document.createElement("canvas");
      stamp.width = stamp.height = size;
      const path = stamp.getContext("2d")!;
      path.scale(this.ratio, this.ratio);
      const middle = size / this.ratio / 2;
      trace(path, shape, middle, middle, r);
      path.fillStyle = fill;
      path.fill();
      if (width > 0) {
        path.strokeStyle = stroke;
        path.lineWidth = width;
        path.stroke();
      }
      this.made.set(key, stamp);
    }
    return stamp;
  }
}
