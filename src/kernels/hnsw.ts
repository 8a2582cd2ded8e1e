import * as layout from '../../generated/kernels/hnsw.ts';
import { instantiateKernel, type KernelBuild, loadKernel } from './load.ts';

/** Returned by a search when there is not enough memory for it. */
export const NO_ROOM = layout.NO_ROOM;
/** Returned by `search` when only `searchFurther` finds enough rows, which may take long. */
export const UNFINISHED = layout.UNFINISHED;
/** Maximum number of links of a row at the upper levels, and at level 0. */
export const M = layout.M;
export const M0 = layout.M0;

/** Exports of `asm/hnsw.ts`, where their contracts are documented. Addresses and sizes are in bytes. */
export interface HnswExports extends WebAssembly.Exports {
  graphBytes(): number;
  scratchBytes(): number;
  savedBytes(): number;
  initializeGraph(graph: number, metric: number, dims: number, bits: number, most: number): void;
  releaseGraph(graph: number): void;
  initializeScratch(scratch: number): void;
  releaseScratch(scratch: number): void;
  insertRows(graph: number, scratch: number, end: number, budget: number, width: number): number;
  search(graph: number, scratch: number, query: number, factor: number, k: number, least: number, ef: number,
    bitmap: number, selected: number, end: number, out: number): number;
  searchFurther(graph: number, scratch: number, query: number, factor: number, k: number, ef: number, bitmap: number,
    selected: number, end: number, out: number): number;
  scanned(scratch: number): number;
  graphDone(graph: number): number;
  graphNodes(graph: number): number;
  graphTaken(graph: number): number;
  levelOf(row: number): number;
  linksOf(graph: number, row: number, level: number): number;
  entryRow(graph: number): number;
  linksAreSound(graph: number): number;
  saveLinks(graph: number, first: number, end: number, to: number): number;
  restoreLinks(graph: number, first: number, end: number, from: number, bytes: number): number;
  probeQuery(graph: number, probe: number, at: number, factor: number): void;
  probeRow(graph: number, probe: number, row: number): void;
  distanceTo(graph: number, probe: number, row: number): number;
}

/** The module `hnsw` over the memory of a segment. */
export function hnswKernel(memory: WebAssembly.Memory, build: KernelBuild): HnswExports {
  return instantiateKernel(loadKernel('hnsw', build), memory) as HnswExports;
}
