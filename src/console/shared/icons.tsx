/** Icons on a grid of 24 by 24, drawn with strokes in the colour of the text. */
const PATHS = {
  quire: 'M4 8l8-4 8 4-8 4zM4 12.5l8 4 8-4M4 17l8 4 8-4',
  folder: 'M3 7a1 1 0 011-1h5l2 2h9a1 1 0 011 1v9a1 1 0 01-1 1H4a1 1 0 01-1-1z',
  search: 'M11 18a7 7 0 100-14 7 7 0 000 14zM20 20l-4-4',
  upload: 'M12 16V4m-5 5l5-5 5 5M4 16v3a1 1 0 001 1h14a1 1 0 001-1v-3',
  map: 'M6 17a2 2 0 100-4 2 2 0 000 4zM17 9a2 2 0 100-4 2 2 0 000 4zM16 20a1.5 1.5 0 100-3 1.5 1.5 0 000 3zM7.5 13.5l8-5.500M8 15.500l6.500 2.500',
  chat: 'M4 5h16v11H9l-5 4z',
  jobs: 'M12 21a9 9 0 100-18 9 9 0 000 18zM12 7v5l3 3',
  hook: 'M7 20a3 3 0 100-6 3 3 0 000 6zM12 9a3 3 0 100-6 3 3 0 000 6zM17 20a3 3 0 100-6 3 3 0 000 6zM10.5 8.500L8.300 14.300M13.500 8.500l2.200 5.800M10 17h4',
  forge: 'M7 6.500a2 2 0 100-4 2 2 0 000 4zM7 21.500a2 2 0 100-4 2 2 0 000 4zM17 10a2 2 0 100-4 2 2 0 000 4zM7 6.500v11M17 10c0 4-10 2.500-10 7.500',
  bolt: 'M13 3L5 14h6l-1 7 8-11h-6z',
  people: 'M9 11a3.500 3.500 0 100-7 3.500 3.500 0 000 7zM2.500 20c0-3.500 3-6 6.500-6s6.500 2.500 6.500 6M16 4.500a3.500 3.500 0 010 6.200M18 14.500c2 .8 3.500 2.800 3.500 5.500',
  list: 'M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01',
  lock: 'M6 11h12v9H6zM8.500 11V8a3.500 3.500 0 017 0v3',
  chart: 'M4 20V4m0 16h16M8 16v-4m4 4V8m4 8v-6',
  try: 'M8 6l-5 6 5 6m8-12l5 6-5 6M13.500 4l-3 16',
  ship: 'M3 15h18l-2.500 5h-13zM6 15V9h12v6M9 9V5h6v4',
  play: 'M7 4l12 8-12 8z',
  plus: 'M12 5v14M5 12h14',
  minus: 'M5 12h14',
  close: 'M6 6l12 12M18 6L6 18',
  menu: 'M4 6h16M4 12h16M4 18h16',
  sun: 'M12 16a4 4 0 100-8 4 4 0 000 8zM12 2v2m0 16v2M2 12h2m16 0h2M5 5l1.500 1.500M17.500 17.500L19 19M5 19l1.500-1.500M17.500 6.500L19 5',
  trash: 'M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
