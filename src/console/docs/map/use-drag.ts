import type { TargetedPointerEvent, TargetedWheelEvent } from 'preact';
import { useRef } from 'preact/hooks';
import { moved, type Size, type View, zoomed } from './view.ts';

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
export function useDrag({ sizeOf, setView, onHover }: DragOptions) {
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
