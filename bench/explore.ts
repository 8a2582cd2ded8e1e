import { readFileSync } from 'node:fs';
import { balanced, fuse, shareOfMeaning, SHARES } from '../src/search/fusion/fuse.ts';
import { collections, valueOf } from './meaning/sets.ts';
const all = (await collections()).flatMap((c) => c.sets);
type Q = any;
const load = (f: string) => JSON.parse(readFileSync(f, 'utf8')).map((d: any, i: number) => ({ set: all.find((s) => s.name === d.name)!, keys: d.keys, queries: d.queries.map((q: Q) => ({ ...q, meaning: q.meaning.map((h: any) => ({ ...h, chunk: 0 })), f: features(q) })) }));
function features(q: Q): number[] {
  const w = q.words, m = q.meaning;
  const n = Math.max(1, q.queryWords);
  const bw = new Set(w.slice(0, 10).map((h: any) => h.ord));
  const overlap = m.slice(0, 10).filter((h: any) => bw.has(h.ord)).length / 10;
  const w1 = w[0]?.score ?? 0, w2 = w[1]?.score ?? 0, w10 = w[9]?.score ?? 0;
  const m1 = m[0]?.score ?? 0, m2 = m[1]?.score ?? 0, m10 = m[9]?.score ?? 0;
  const topIn = m.findIndex((h: any) => h.ord === w[0]?.ord);
  const wIn = w.findIndex((h: any) => h.ord === m[0]?.ord);
  return [1, Math.min(1, q.matchedWords / n), overlap, n <= 4 ? 1 : 0, Math.min(n, 20) / 20, w1 > 0 ? w2 / w1 : 1, w1 > 0 ? w10 / w1 : 1, m1, m1 > 0 ? (m1 - m2) / 0.1 : 0, m1 > 0 ? (m1 - m10) / 0.2 : 0, topIn < 0 ? 1 : 0, wIn < 0 ? 1 : 0];
}
const NAMES = ['1', 'coverage', 'overlap', 'short', 'length', 'w2/w1', 'w10/w1', 'm1', 'm1-m2', 'm1-m10', 'top word not in m', 'top m not in words'];
const data = load(process.argv[2]!);
const half = (h: number) => data.map((d: any) => ({ ...d, queries: d.queries.filter((_: any, i: number) => i % 2 === h) }));
const rank = (d: any, r: (q: Q) => any[]) => valueOf(d.set, new Map(d.queries.map((q: Q) => [q.id, r(q).slice(0, 10).map((h: any) => d.keys[h.ord])])));
const fused = (q: Q, share: number) => fuse(q.words, q.meaning, { strategy: 'alpha', ...balanced(q.words, q.meaning, share) });
const SH = Array.from({ length: 17 }, (_, i) => 0.1 + i * 0.05);
// precompute the value of each query at each share? the measure is a mean over queries, so per-query values work
for (const d of data) for (const q of d.queries) {
  q.v = SH.map((s) => valueOf(d.set, new Map([[q.id, fused(q, s).slice(0, 10).map((h: any) => d.keys[h.ord])]])));
  q.vw = valueOf(d.set, new Map([[q.id, q.words.slice(0, 10).map((h: any) => d.keys[h.ord])]]));
  q.vm = valueOf(d.set, new Map([[q.id, q.meaning.slice(0, 10).map((h: any) => d.keys[h.ord])]]));
  q.now = shareOfMeaning(q.words, q.meaning, q);
}
const at = (q: Q, s: number) => { const x = Math.max(0, Math.min(16, (s - 0.1) / 0.05)); const i = Math.floor(x), t = x - i; return q.v[i] * (1 - t) + q.v[Math.min(16, i + 1)] * t; };
const mean = (d: any, f: (q: Q) => number) => d.queries.reduce((a: number, q: Q) => a + f(q), 0) / d.queries.length;
const better = (d: any) => Math.max(mean(d, (q) => q.vw), mean(d, (q) => q.vm));
const lin = (w: number[]) => (q: Q) => Math.max(0.1, Math.min(0.9, w.reduce((a, x, i) => a + x * q.f[i], 0)));
const gain = (ds: any[], share: (q: Q) => number) => ds.reduce((a, d) => { const g = mean(d, (q) => at(q, share(q))) - better(d); return a + (g < 0 ? 5 * g : g); }, 0);
const show = (label: string, ds: any[], share: (q: Q) => number) => console.log(label, gain(ds, share).toFixed(4), ds.map((d) => `${d.set.name.replace('MDN, ', '')} ${better(d).toFixed(3)}>${mean(d, (q) => at(q, share(q))).toFixed(3)}`).join(' | '));
show('now ', data, (q) => q.now);
show('best share of each query', data, (q) => SH[q.v.indexOf(Math.max(...q.v))]!);
for (const s of [0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7]) show('fixed ' + s, data, () => s);
for (const [a, b] of [[.35, .7], [.4, .7], [.4, .6], [.35, .8]]) show(`rules ${a} ${b}`, data, (q) => shareOfMeaning(q.words, q.meaning, q, { ...SHARES, usual: a!, greater: b! }));
let seed = 7; const rnd = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
function fit(ds: any[], mask: number[]) {
  let best = mask.map((m, i) => i === 0 ? 0.45 : 0); let g = gain(ds, lin(best)) ;
  const penal = (w: number[]) => 0.01 * w.slice(1).reduce((a, x) => a + Math.abs(x), 0);
  let score = g - penal(best);
  for (let it = 0; it < 2500; it++) {
    const w = [...best]; const k = 1 + Math.floor(rnd() * 2);
    for (let j = 0; j < k; j++) { const i = Math.floor(rnd() * w.length); if (!mask[i]) continue; w[i] += (rnd() - 0.5) * (it < 1000 ? 0.4 : 0.1); if (rnd() < 0.1 && i > 0) w[i] = 0; }
    const s = gain(ds, lin(w)) - penal(w);
    if (s > score) { score = s; best = w; }
  }
  return best;
}
const masks: Record<string, number[]> = {};
for (const [name, mask] of Object.entries(masks)) {
  for (const h of [0, 1]) {
    const w = fit(half(h), mask); 
    console.log(name, 'fitted to half', h, w.map((x, i) => x ? `${NAMES[i]} ${x.toFixed(2)}` : '').filter(Boolean).join(', '));
    show('  own', half(h), lin(w)); show('  other', half(1 - h), lin(w));
  }
}
