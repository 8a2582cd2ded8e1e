import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../../shared/icons.tsx';
import { theme } from '../../shared/shell.tsx';
import { nearestTo, paint, type Painted } from './paint.ts';
import { useDrag } from './use-drag.ts';
import { moved, START, toScreen, zoomed, type Size, type View } from './view.ts';

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
