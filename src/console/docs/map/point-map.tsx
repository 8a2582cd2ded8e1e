import { useEffect, useRef, useState } from 'preact/hooks';
import type { TargetedPointerEvent, TargetedWheelEvent } from 'preact';
import { Icon } from '../../shared/icons.tsx';
import { theme } from '../../shared/shell.tsx';
import { moved, type Size, START, toScreen, type View, zoomed } from './view.ts';

export interface MapPoint {
  readonly id: string;
  readonly key: string;
  readonly lang: string;
  /** -1 to 1. */
  readonly x: number;
  readonly y: number;
}

interface PointMapProps extends Painted {
  readonly onOpen: (point: MapPoint) => void;
}

/** Pixels by which an arrow key moves the map. */
const STEP = 40;

export function PointMap({ points, lit, query, onOpen }: PointMapProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [view, setView] = useState<View>(START);
  const [near, setNear] = useState<MapPoint>();
  useEffect(() => {
    const element = canvas.current!;
    const paintAll = (): void => paint(element, view, { points, lit, query });
    paintAll();
    const watch = new ResizeObserver(paintAll);
    watch.observe(element);
    return () => watch.disconnect();
  }, [view, points, lit, query, theme.value]);
  const sizeOf = (): Size => ({ width: canvas.current?.clientWidth ?? 0, height: canvas.current?.clientHeight ?? 0 });
  const drag = useDrag({ sizeOf, setView, onHover: (x, y) => setNear(nearestTo(points, view, sizeOf(), x, y)) });
  const zoom = (factor: number) => (): void => setView((before) => zoomed(before, sizeOf(), factor, sizeOf().width / 2, sizeOf().height / 2));
  const onKey = (event: KeyboardEvent): void => {
    const move = (x: number, y: number) => (): void => setView((before) => moved(before, x, y));
    const action = { ArrowLeft: move(STEP, 0), ArrowRight: move(-STEP, 0), ArrowUp: move(0, STEP), ArrowDown: move(0, -STEP), '+': zoom(1.25), '-': zoom(0.8), 0: () => setView(START) }[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  };
  return (
    <div class="map" role="group" aria-label="Map of the vectors. Arrow keys move it, plus and minus change its scale." tabIndex={0} onKeyDown={onKey}>
      <canvas ref={canvas} {...drag.handlers} onPointerLeave={() => setNear(undefined)} onClick={() => !drag.wasDragged() && near !== undefined && onOpen(near)} />
      <div class="row map-tools">
        <button class="icon" aria-label="Closer" onClick={zoom(1.5)}><Icon name="plus" /></button>
        <button class="icon" aria-label="Farther" onClick={zoom(1 / 1.5)}><Icon name="minus" /></button>
        <button onClick={() => setView(START)}>All</button>
      </div>
      {near !== undefined && <Tip point={near} view={view} size={sizeOf()} />}
    </div>
  );
}

function Tip({ point, view, size }: { readonly point: MapPoint; readonly view: View; readonly size: Size }) {
  const { x, y } = toScreen(view, size, point);
  return <div class="tip" style={{ left: `${Math.min(x + 12, size.width - 180)}px`, top: `${Math.max(4, y - 34)}px` }}>{point.key}</div>;
}

/** Greatest distance of the pointer from a point, in pixels. */
const REACH = 12;

/** The point under the pointer. */
function nearestTo(points: readonly MapPoint[], view: View, size: Size, x: number, y: number): MapPoint
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

interface Painted {
  readonly points: readonly MapPoint[];
  /** Ids of hits with their rank, from 0. */
  readonly lit: ReadonlyMap<string, number>;
  /** Position of the query. */
  readonly query: { readonly x: number; readonly y: number } | undefined;
}

/** Draws all points, with the hits above the others, and a cross at the position of the query. */
function paint(canvas: HTMLCanvasElement, view: View, { points, lit, query }: Painted): void {
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

interface DragOptions {
  readonly sizeOf: () => Size;
  readonly setView: (change: (before: View) => View) => void;
  /** Called when the pointer is over the map without moving it. */
  readonly onHover: (x: number, y: number) => void;
}

interface Place {
  readonly x: number;
  readonly y: number;
}

/** Movements up to this many pixels are a click, not a drag. */
const STILL = 2;

const apart = (a: Place, b: Place): number => Math.hypot(a.x - b.x, a.y - b.y);

/** One pointer moves the map; two pointers or the wheel change its scale. */
function useDrag({ sizeOf, setView, onHover }: DragOptions) {
  const held = useRef(new Map<number, Place>());
  const wasDragged = useRef(false);
  const release = (event: TargetedPointerEvent<HTMLCanvasElement>): void => void held.current.delete(event.pointerId);
  const handlers = {
    onPointerDown: (event: TargetedPointerEvent<HTMLCanvasElement>): void => {
      event.currentTarget.setPointerCapture(event.pointerId);
      held.current.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
      wasDragged.current = false;
    },
    onPointerMove: (event: TargetedPointerEvent<HTMLCanvasElement>): void => {
      const before = held.current.get(event.pointerId);
      const now = { x: event.offsetX, y: event.offsetY };
      if (before === undefined) return onHover(now.x, now.y);
      const other = [...held.current].find(([id]) => id !== event.pointerId)?.[1];
      if (other === undefined) setView((view) => moved(view, now.x - before.x, now.y - before.y));
      else setView((view) =>
          zoomed(view, sizeOf(), apart(now, other) / Math.max(1, apart(before, other)), (now.x + other.x) / 2,
            (now.y + other.y) / 2)
        );
      if (apart(now, before) > STILL) wasDragged.current = true;
      held.current.set(event.pointerId, now);
    },
    onPointerUp: release,
    onPointerCancel: release,
    onWheel: (event: TargetedWheelEvent<HTMLCanvasElement>): void => {
      event.preventDefault();
      const { deltaY, offsetX, offsetY } = event;
      setView((view) => zoomed(view, sizeOf(), Math.exp(-deltaY / 400), offsetX, offsetY));
    },
  };
  return { handlers, wasDragged: () => wasDragged.current };
}
