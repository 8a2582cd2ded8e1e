import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../shared/icons.tsx';
import { moved, START, toScreen, zoomed, type View } from './map-view.ts';

export interface MapPoint {
  readonly id: string;
  readonly key: string;
  readonly lang: string;
  /** -1 to 1. */
  readonly x: number;
  readonly y: number;
}

interface PointMapProps {
  readonly points: readonly MapPoint[];
  /** Ids of hits with their rank, from 0. */
  readonly lit: ReadonlyMap<string, number>;
  readonly query: { readonly x: number; readonly y: number } | undefined;
  readonly onOpen: (point: MapPoint) => void;
}

/** How near the pointer has to be, in pixels. */
const REACH = 12;
const STEP = 40;

export function PointMap({ points, lit, query, onOpen }: PointMapProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [view, setView] = useState<View>(START);
  const [near, setNear] = useState<MapPoint>();
  const pointers = useRef(new Map<number, { x: number; y: number }>());
  const wasDragged = useRef(false);
  useEffect(() => {
    const element = canvas.current!;
    const paintAll = (): void => paint(element, view, { points, lit, query });
    paintAll();
    const watch = new ResizeObserver(paintAll);
    watch.observe(element);
    return () => watch.disconnect();
  }, [view, points, lit, query]);
  const sizeOf = (): { width: number; height: number } => ({ width: canvas.current?.clientWidth ?? 0, height: canvas.current?.clientHeight ?? 0 });
  const onMove = (event: PointerEvent): void => {
    const held = pointers.current.get(event.pointerId);
    if (held === undefined) return setNear(nearestTo(points, view, sizeOf(), event.offsetX, event.offsetY));
    const now = { x: event.offsetX, y: event.offsetY };
    const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1];
    if (other === undefined) setView(moved(view, now.x - held.x, now.y - held.y));
    else setView(zoomed(view, sizeOf(), Math.hypot(now.x - other.x, now.y - other.y) / Math.max(1, Math.hypot(held.x - other.x, held.y - other.y)), (now.x + other.x) / 2, (now.y + other.y) / 2));
    if (Math.hypot(now.x - held.x, now.y - held.y) > 2) wasDragged.current = true;
    pointers.current.set(event.pointerId, now);
  };
  const onKey = (event: KeyboardEvent): void => {
    const { width, height } = sizeOf();
    const next = {
      ArrowLeft: () => moved(view, STEP, 0), ArrowRight: () => moved(view, -STEP, 0), ArrowUp: () => moved(view, 0, STEP), ArrowDown: () => moved(view, 0, -STEP),
      '+': () => zoomed(view, { width, height }, 1.25, width / 2, height / 2), '-': () => zoomed(view, { width, height }, 0.8, width / 2, height / 2), 0: () => START,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setView(next());
  };
  return (
    <div class="map" role="group" aria-label="Map of the vectors. Arrow keys move it, plus and minus change its scale." tabIndex={0} onKeyDown={onKey}>
      <canvas ref={canvas}
        onPointerDown={(event) => { event.currentTarget.setPointerCapture(event.pointerId); pointers.current.set(event.pointerId, { x: event.offsetX, y: event.offsetY }); wasDragged.current = false; }}
        onPointerMove={onMove}
        onPointerUp={(event) => pointers.current.delete(event.pointerId)}
        onPointerCancel={(event) => pointers.current.delete(event.pointerId)}
        onPointerLeave={() => setNear(undefined)}
        onClick={() => !wasDragged.current && near !== undefined && onOpen(near)}
        onWheel={(event) => { event.preventDefault(); setView(zoomed(view, sizeOf(), Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY)); }} />
      <div class="row map-tools">
        <button class="icon" aria-label="Closer" onClick={() => setView(zoomed(view, sizeOf(), 1.5, sizeOf().width / 2, sizeOf().height / 2))}><Icon name="plus" /></button>
        <button class="icon" aria-label="Farther" onClick={() => setView(zoomed(view, sizeOf(), 1 / 1.5, sizeOf().width / 2, sizeOf().height / 2))}><Icon name="minus" /></button>
        <button onClick={() => setView(START)}>All</button>
      </div>
      {near !== undefined && <Tip point={near} view={view} size={sizeOf()} />}
    </div>
  );
}

function Tip({ point, view, size }: { readonly point: MapPoint; readonly view: View; readonly size: { width: number; height: number } }) {
  const { x, y } = toScreen(view, size, point);
  return <div class="tip" style={{ left: `${Math.min(x + 12, size.width - 180)}px`, top: `${Math.max(4, y - 34)}px` }}>{point.key}</div>;
}

function nearestTo(points: readonly MapPoint[], view: View, size: { width: number; height: number }, x: number, y: number): MapPoint | undefined {
  let [best, distance]: [MapPoint | undefined, number] = [undefined, REACH];
  for (const point of points) {
    const at = toScreen(view, size, point);
    const away = Math.hypot(at.x - x, at.y - y);
    if (away < distance) [best, distance] = [point, away];
  }
  return best;
}

function paint(canvas: HTMLCanvasElement, view: View, { points, lit, query }: Pick<PointMapProps, 'points' | 'lit' | 'query'>): void {
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
  // The style sheet has the colour of hits as that of the caret, so that it follows the theme.
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
