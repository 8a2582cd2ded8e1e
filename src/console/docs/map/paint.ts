import type { MapPoint } from './point-map.tsx';
import { type Size, toScreen, type View } from './view.ts';

/** Greatest distance of the pointer from a point, in pixels. */
const REACH = 12;

/** The point under the pointer. */
export function nearestTo(points: readonly MapPoint[], view: View, size: Size, x: number, y: number): MapPoint
  | undefined
{
  let [best, distance]: [MapPoint | undefined, number] = [undefined, REACH];
  for (const point of points) {
    const at = toScreen(view, size, point);
    const away = Math.hypot(at.x - x, at.y - y);
    if (away < distance) [best, distance] = [point, away];
  }
  return best;
}

export interface Painted {
  readonly points: readonly MapPoint[];
  /** Ids of hits with their rank, from 0. */
  readonly lit: ReadonlyMap<string, number>;
  /** Position of the query. */
  readonly query: { readonly x: number; readonly y: number } | undefined;
}

/** Draws all points, with the hits above the others, and a cross at the position of the query. */
export function paint(canvas: HTMLCanvasElement, view: View, { points, lit, query }: Painted): void {
  const size = { width: canvas.clientWidth, height: canvas.clientHeight };
  const ratio = devicePixelRatio;
  canvas.width = size.width * ratio;
  canvas.height = size.height * ratio;
  const context = canvas.getContext('2d')!;
  context.scale(ratio, ratio);
  const look = getComputedStyle(canvas);
  const dot = (at: { x: number; y: number }, radius: number): void => {
    context.beginPath();
    context.arc(at.x, at.y, radius, 0, 2 * Math.PI);
    context.fill();
  };
  context.fillStyle = look.color;
  context.globalAlpha = lit.size === 0 ? 0.55 : 0.16;
  for (const point of points) dot(toScreen(view, size, point), 3.2);
  context.globalAlpha = 1;
  // The style sheet sets the colour of hits as the caret colour, so that it follows the theme.
  context.fillStyle = look.caretColor;
  for (const point of points) if (lit.has(point.id)) dot(toScreen(view, size, point), 6);
  if (query === undefined) return;
  const { x, y } = toScreen(view, size, query);
  context.strokeStyle = look.caretColor;
  context.lineWidth = 2;
  context.beginPath();
  context.arc(x, y, 10, 0, 2 * Math.PI);
  context.moveTo(x - 15, y);
  context.lineTo(x + 15, y);
  context.moveTo(x, y - 15);
  context.lineTo(x, y + 15);
  context.stroke();
}
