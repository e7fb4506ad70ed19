// Many marks at once: blended into an array of pixels by hand. Without a graphics card a canvas spends microseconds on
// every small picture it is given; an array takes tens of thousands of marks in the time of one frame.

/** The pixels of a mark, its opacity already in them. */
interface Mark {
  size: number;
  pixels: Uint8ClampedArray;
}

export class Splat {
  private readonly picture: ImageData;
  private readonly pixels: Uint8ClampedArray;
  private readonly marks = new Map<string, Mark>();

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.picture = new ImageData(Math.max(1, width), Math.max(1, height));
    this.pixels = this.picture.data;
  }

  clear(): void {
    this.pixels.fill(0);
  }

  /** A mark from its small picture, made fainter by `opacity`. */
  mark(key: string, stamp: HTMLCanvasElement, opacity: number): Mark {
    const name = `${key} ${opacity}`;
    let mark = this.marks.get(name);
    if (!mark) {
      const size = stamp.width;
      const pixels = stamp.getContext("2d")!.getImageData(0, 0, size, size).data;
      for (let i = 3; i < pixels.length; i += 4) pixels[i] *= opacity;
      this.marks.set(name, (mark = { size, pixels }));
    }
    return mark;
  }

  /** Lays a mark over what is there, its middle at (x, y) in pixels. */
  add(mark: Mark, x: number, y: number): void {
    const { size, pixels: from } = mark;
    const { width, height, pixels: to } = this;
    const left = Math.round(x - size / 2);
    const top = Math.round(y - size / 2);
    if (left < 0 || top < 0 || left + size > width || top + size > height) return;
    let source = 0;
    for (let row = 0; row < size; row++) {
      let at = ((top + row) * width + left) * 4;
      for (let column = 0; column < size; column++, at += 4, source += 4) {
        const a = from[source + 3];
        if (a === 0) continue;
        const under = to[at + 3];
        if (under === 0) {
          to[at] = from[source];
          to[at + 1] = from[source + 1];
          to[at + 2] = from[source + 2];
          to[at + 3] = a;
          continue;
        }
        // Source over destination, colours not multiplied by their opacity.
        const rest = (under * (255 - a)) / 255;
        const whole = a + rest;
        to[at] = (from[source] * a + to[at] * rest) / whole;
        to[at + 1] = (from[source + 1] * a + to[at + 1] * rest) / whole;
        to[at + 2] = (from[source + 2] * a + to[at + 2] * rest) / whole;
        to[at + 3] = whole;
      }
    }
  }

  /** Puts the picture on a canvas, in the place of what was there. */
  put(canvas: CanvasRenderingContext2D): void {
    canvas.putImageData(this.picture, 0, 0);
  }
}
