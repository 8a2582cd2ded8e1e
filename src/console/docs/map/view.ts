/** The visible part of the plane: the scale relative to the initial view, and the offset in pixels. */
export interface View {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export const START: View = { scale: 1, x: 0, y: 0 };

const LEAST = 0.5;
const MOST = 60;
/** Part of the canvas that the plane fills initially. */
const FILLED = 0.46;

/** Converts a point of the plane, -1 to 1 with `y` upwards, to a position on the canvas. */
export function toScreen({ scale, x, y }: View, { width, height }: Size,
  point: { readonly x: number; readonly y: number }): { x: number; y: number }
{
  return { x: width / 2 + x + point.x * width * FILLED * scale, y: height / 2 + y - point.y * height * FILLED * scale };
}

export function moved(view: View, x: number, y: number): View {
  return { ...view, x: view.x + x, y: view.y + y };
}

/** Changes the scale so that the point at a given position of the canvas stays there. */
export function zoomed(view: View, { width, height }: Size, factor: number, atX: number, atY: number): View {
  const scale = Math.min(MOST, Math.max(LEAST, view.scale * factor));
  const grown = scale / view.scale;
  const [fromX, fromY] = [atX - width / 2, atY - height / 2];
  return { scale, x: fromX - (fromX - view.x) * grown, y: fromY - (fromY - view.y) * grown };
}
